import { readSession } from "@latchkey/core/integration"
import type { Awaitable, Session } from "@latchkey/core/types"
import type { GetServerSidePropsContext, NextApiRequest, NextApiResponse } from "next"
import type { NextFetchEvent, NextRequest } from "next/server.js"
import { toCaller } from "./caller.js"
import { type NextConfigSource, resolveConfig } from "./config.js"
import type { CurrentSession } from "./current-session.js"
import { guard, type ProxyAnswer } from "./guard.js"
import { type PagesRequest, type PagesResponse, readPagesSession } from "./pages-router.js"
import { settingsFor } from "./settings.js"
import { setCookies } from "./visitor.js"

/** A request with the session of whoever sent it; null when nobody is signed in. */
export interface NextAuthRequest extends NextRequest {
  auth: Session | null
}

/** What `auth` wraps: a route handler, or the function of `proxy.ts`. */
export type AuthHandler<Context> = (
  request: NextAuthRequest,
  context: Context,
  // biome-ignore lint/suspicious/noConfusingVoidType: a proxy's function often returns nothing at all.
) => Awaitable<Response | undefined | void>

/**
 * The session, and who may pass.
 * @throws AuthError when the service cannot say, so that a failure never looks like a session, nor like a visitor
 */
export interface AuthFunction {
  /** The session, in server components, actions and route handlers. Null when nobody is signed in. */
  (): Promise<Session | null>
  /** The session, in an API route of the pages router. */
  (request: NextApiRequest, response: NextApiResponse): Promise<Session | null>
  /** The session, in an API route of the pages router that runs on the edge. */
  (request: Request, response: Response): Promise<Session | null>
  /** The session, in `getServerSideProps`. */
  (context: GetServerSidePropsContext): Promise<Session | null>
  /** A route handler, or a function of `proxy.ts`, that is given `request.auth`. */
  <Context = unknown>(handler: AuthHandler<Context>): (request: NextRequest, context: Context) => Promise<Response>
  /** The function of `proxy.ts` itself: `export { auth as proxy } from "@/auth"`. */
  (request: NextRequest, event: NextFetchEvent): Promise<Response>
}

/** All that `auth` may be called with. */
type AuthArguments =
  | []
  | [AuthHandler<unknown>]
  | [{ readonly req: PagesRequest; readonly res: PagesResponse }]
  | [NextRequest, NextFetchEvent]
  | [PagesRequest, PagesResponse]

/** `auth` of a configuration. What it is called with tells which of its forms is meant. */
export function createAuth(source: NextConfigSource, current: CurrentSession): AuthFunction {
  function auth(...args: AuthArguments): unknown {
    const [first, second] = args
    if (first === undefined) return current.read()
    if (typeof first === "function") return wrap(source, first)
    if ("req" in first) return readPagesSession(source, first.req, first.res)
    // An event comes with a request of the Web; what else comes second is an answer.
    if (isProxyEvent(second)) return passProxy(source, first as NextRequest)
    return readPagesSession(source, first, second as PagesResponse)
  }
  return auth as AuthFunction // Its overloads are the cases above.
}

function wrap(source: NextConfigSource, handler: AuthHandler<unknown>) {
  return (request: NextRequest, context: unknown): Promise<Response | undefined> => {
    const answer = async (session: Session | null) => (await handler(withAuth(request, session), context)) ?? undefined
    return isProxyEvent(context) ? passProxy(source, request, answer) : answerRoute(source, request, answer)
  }
}

async function passProxy(source: NextConfigSource, request: NextRequest, answer?: ProxyAnswer): Promise<Response> {
  const given = await resolveConfig(source, request)
  return await guard(request, settingsFor(given), given, answer)
}

/** Renewed cookies are set before the handler runs, so that its own `signOut` has the last word. */
async function answerRoute(
  source: NextConfigSource,
  request: NextRequest,
  answer: (session: Session | null) => Promise<Response | undefined>,
): Promise<Response | undefined> {
  const { settings } = settingsFor(await resolveConfig(source, request))
  const { session, cookies } = await readSession(toCaller(request.headers, settings.config), settings)
  await setCookies(cookies)
  return await answer(session)
}

/** On the request itself: Next's is a proxy with private fields, which no copy of it would have. */
function withAuth(request: NextRequest, session: Session | null): NextAuthRequest {
  return Object.defineProperty(request, "auth", {
    value: session,
    writable: true,
    configurable: true,
  }) as NextAuthRequest // With `auth`, as of now.
}

/** Route handlers are called with `params`, proxies with an event. */
function isProxyEvent(context: unknown): context is NextFetchEvent {
  return typeof context === "object" && context !== null && "waitUntil" in context
}
