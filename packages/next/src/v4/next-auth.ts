import type { AnyValue } from "@latchkey/core"
import { deriveConfigs, warnAtStart } from "@latchkey/core/integration"
import type { AppSession, OAuthConfig, OAuthProviderFacts, Optional, Provider } from "@latchkey/core/types"
import type { NextApiRequest, NextApiResponse } from "next"
import type { NextRequest } from "next/server.js"
import { findSettings, type NextAuthConfig } from "../config.js"
import { createHandlers, type Handlers } from "../handler.js"
import {
  type CurrentSession,
  createCurrentSession,
  type PagesRequest,
  type PagesResponse,
  readPagesSession,
} from "../session.js"

/** The `httpOptions` of a provider in version 4. Only `timeout` has an effect. */
export interface HttpOptions {
  /** Time for each call of the provider in milliseconds, at most 60,000. Default: 10,000. */
  readonly timeout?: number | undefined
}

declare module "@latchkey/core/types" {
  interface OAuthProviderFacts {
    /** @deprecated Use `advanced.answerLimits.seconds`. Has an effect in `@latchkey/next/v4` only. */
    readonly httpOptions?: HttpOptions | undefined
  }
}

/** The options of `NextAuth`, as in version 4. */
export interface NextAuthOptions extends NextAuthConfig {}

/** The older name of {@link NextAuthOptions}. */
export type AuthOptions = NextAuthOptions

/** The second argument of a route handler. */
export interface RouteContext {
  readonly params: Promise<AnyValue>
}

/** What `NextAuth(options)` returns: an API route of the pages router, and a route handler of the app router. */
export interface NextAuthHandler {
  (request: NextApiRequest, response: NextApiResponse): Promise<void>
  (request: NextRequest, context: RouteContext): Promise<Response>
}

type HandlerArguments = [NextApiRequest, NextApiResponse] | [NextRequest, RouteContext]

/**
 * The service as in version 4: `export default NextAuth(options)` in `pages/api/auth/[...nextauth].ts`, or
 * `const handler = NextAuth(options); export { handler as GET, handler as POST }` in a route handler. With the request first,
 * it answers this request, so that the options may depend on it.
 */
export function NextAuth(options: NextAuthOptions): NextAuthHandler
export function NextAuth(request: NextApiRequest, response: NextApiResponse, options: NextAuthOptions): Promise<void>
export function NextAuth(request: NextRequest, context: RouteContext, options: NextAuthOptions): Promise<Response>
export function NextAuth(...args: [NextAuthOptions] | [...HandlerArguments, NextAuthOptions]): unknown {
  if (args.length === 1) {
    const config = toConfig(args[0])
    warnAtStart(config)
    const handlers = createHandlers(config)
    return (...request: HandlerArguments) => answer(request, handlers)
  }
  const [request, response, options] = args
  return answer([request, response] as HandlerArguments, createHandlers(toConfig(options))) // as: these two belong together.
}

/** Only route handlers get a request of the Web. */
function answer([request, response]: HandlerArguments, { GET, pages }: Handlers): Promise<unknown> {
  if ("nextUrl" in request) return GET(request)
  return pages(request, response as NextApiResponse) // as: beside a request of Node.
}

/** The session of each configuration that server components have asked for. */
const sessions = new WeakMap<NextAuthConfig, CurrentSession>()

const withoutOptions: NextAuthOptions = { providers: [] }

/**
 * Reads the session as browsers receive it: in server components and route handlers with the options alone, in API routes
 * and `getServerSideProps` with the request and the response. Without options, it needs a session in the cookie, and secrets and
 * cookies that come from the environment.
 * @throws AuthError when the session cannot be read, so that a failure never looks like being signed out
 */
export function getServerSession(options?: NextAuthOptions): Promise<AppSession | null>
export function getServerSession(
  request: PagesRequest,
  response: PagesResponse,
  options: NextAuthOptions,
): Promise<AppSession | null>
export async function getServerSession(
  ...args: [(NextAuthOptions | undefined)?] | [PagesRequest, PagesResponse, NextAuthOptions]
): Promise<AppSession | null> {
  if (args.length === 3) return await readPagesSession(toConfig(args[2]), args[0], args[1], findSettings)
  const config = toConfig(args[0] ?? withoutOptions)
  const known = sessions.get(config) ?? createCurrentSession(config, findSettings)
  sessions.set(config, known)
  return await known.read()
}

const toConfig = deriveConfigs((options: NextAuthOptions): NextAuthConfig => {
  return { ...options, providers: options.providers.map(withTimeout), callbacks: withShownSession(options.callbacks) }
})

/**
 * The `session` callback gets what browsers get without one, as in version 4: apps of that time spread it into their session.
 * The columns of a stored user are in `user`.
 */
function withShownSession(callbacks: NextAuthConfig["callbacks"]): NextAuthConfig["callbacks"] {
  const show = callbacks?.session
  if (!show) return callbacks
  return {
    ...callbacks,
    session: (params) => {
      const { user, expires } = params.session
      const { name, email, image } = user
      const session = {
        user: { name, email, image },
        expires: new Date(expires).toISOString(),
      } as typeof params.session // as: other fields are not there.
      return show.call(callbacks, { ...params, session })
    },
  }
}

/** The provider with the timeout of version 4 as a limit of its answers. */
function withTimeout(provider: Provider): Provider {
  if (typeof provider !== "object" || (provider.type !== "oauth" && provider.type !== "oidc")) return provider
  const { httpOptions, ...own } = provider
  const { httpOptions: given = httpOptions, ...options }: Optional<OAuthProviderFacts> = provider.options ?? {}
  const { advanced = provider.advanced } = options
  if (given === undefined) return provider
  const seconds = advanced?.answerLimits?.seconds ?? toSeconds(given.timeout)
  const limits = { ...advanced, answerLimits: { ...advanced?.answerLimits, seconds } }
  return { ...own, options: { ...options, advanced: limits } } as OAuthConfig<AnyValue> // as: of the same type as before.
}

function toSeconds(milliseconds: unknown): number | undefined {
  return typeof milliseconds === "number" && milliseconds > 0 ? Math.min(milliseconds / 1000, 60) : undefined
}
