import { SessionTokenError } from "@latchkey/core/errors"
import {
  forbidSharedCaching,
  isServicePath,
  readSession,
  type SessionAnswer,
  warnAtStart,
} from "@latchkey/core/integration"
import type { AnyValue, AppSession } from "@latchkey/core/types"
import type { GetServerSidePropsContext, NextApiRequest, NextApiResponse } from "next"
import type { NextFetchEvent, NextRequest } from "next/server.js"
import { type Actions, createActions } from "./actions.js"
import { findReadSettings, type NextConfigSource, toCaller } from "./config.js"
import { type AuthHandler, guard, isProxyEvent, type SessionReader, toAnswer } from "./guard.js"
import { createHandlers, type Handlers } from "./handler.js"
import {
  type CurrentSession,
  createCurrentSession,
  type PagesRequest,
  type PagesResponse,
  readPagesSession,
  setCookies,
} from "./session.js"
import { bindUser, type NextUserAuth } from "./user-auth.js"

/** What `NextAuth` returns. */
export interface NextAuthResult extends Actions, NextUserAuth {
  readonly handlers: Handlers
  readonly auth: AuthFunction
  /** `updateSession`, under its name in other packages. */
  unstable_update(data: unknown): Promise<AppSession | null>
}

/**
 * Authentication for Next.js, for a file of the app such as `auth.ts`.
 * @param config The configuration, or a function that returns one for each request. Return the same object for the same
 *   case, since Latchkey resolves each object once.
 * @example
 * export const { handlers, auth, signIn, signOut } = NextAuth({ providers: [GitHub] })
 */
export function NextAuth(config: NextConfigSource): NextAuthResult {
  warnAtStart(config)
  const current = createCurrentSession(config)
  const actions = createActions(config, current)
  return {
    ...bindUser(config, current, actions),
    ...actions,
    handlers: createHandlers(config),
    auth: createAuth(config, current),
    unstable_update: actions.updateSession,
  }
}

const reader: SessionReader = { isServicePath, readSession }

/**
 * Reads the current session, or guards requests.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export interface AuthFunction {
  /** The session in server components, actions and route handlers. Null when signed out. */
  (): Promise<AppSession | null>
  /** The session in an API route of the pages router. */
  (request: NextApiRequest, response: NextApiResponse): Promise<AppSession | null>
  /** The session in an API route of the pages router that runs on the edge. */
  (request: Request, response: Response): Promise<AppSession | null>
  /** The session in `getServerSideProps`. */
  (context: GetServerSidePropsContext): Promise<AppSession | null>
  /** Wraps a route handler, or a function of `proxy.ts`, and sets `request.auth`. `context.params` is a promise. */
  <Context = AnyValue>(handler: AuthHandler<Context>): (request: NextRequest, context: Context) => Promise<Response>
  /** The function of `proxy.ts` itself: `export { auth as proxy } from "@/auth"`. */
  (request: NextRequest, event: NextFetchEvent): Promise<Response>
}

type AuthArguments =
  | []
  | [AuthHandler<unknown>]
  | [{ readonly req: PagesRequest; readonly res: PagesResponse }]
  | [NextRequest, NextFetchEvent]
  | [PagesRequest, PagesResponse]

/** Creates `auth`, whose arguments decide which overload applies. */
function createAuth(source: NextConfigSource, current: CurrentSession): AuthFunction {
  function auth(...args: AuthArguments): unknown {
    const [first, second] = args
    if (first === undefined) return current.read()
    if (typeof first === "function") return wrap(source, first)
    if ("req" in first) return readPagesSession(source, first.req, first.res)
    // An event comes with a Web request; any other second argument is a response.
    if (isProxyEvent(second)) return guard(first as NextRequest, source, reader)
    return readPagesSession(source, first, second as PagesResponse)
  }
  return auth as AuthFunction // The overloads are the cases above.
}

function wrap(source: NextConfigSource, handler: AuthHandler<unknown>) {
  return (request: NextRequest, context: unknown): Promise<Response | undefined> => {
    const answer = toAnswer(handler, request, context)
    return isProxyEvent(context) ? guard(request, source, reader, answer) : answerRoute(source, request, answer)
  }
}

/** Sets renewed cookies before the handler runs, so that a `signOut` in the handler takes precedence. */
async function answerRoute(
  source: NextConfigSource,
  request: NextRequest,
  answer: (session: AppSession | null) => Promise<Response | undefined>,
): Promise<Response | undefined> {
  const { settings } = await findReadSettings(source, request)
  let found: SessionAnswer
  try {
    found = await readSession(toCaller(request.headers, settings.config), settings)
  } catch (error) {
    if (error instanceof SessionTokenError) return error.getResponse()
    throw error
  }
  const { session, cookies } = found
  await setCookies(cookies)
  const response = await answer(session)
  if (!response || cookies.length === 0) return response
  // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
  const changed = new Response(response.body, response)
  forbidSharedCaching(changed.headers)
  return changed
}
