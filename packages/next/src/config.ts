import type { AuthConfig, AuthContext } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import {
  type Caller,
  deriveConfigs,
  findConfiguredUrl,
  isBelow,
  isLoopbackAddress,
  normalizeBasePath,
  type Settings,
  settingsOf,
  toPath,
  trimPath,
} from "@latchkey/core/integration/reader"
import type { Adapter, Awaitable, CallbacksOptions, Optional, Session } from "@latchkey/core/types"
import type { NextRequest } from "next/server.js"

/** The core's callbacks, and `authorized` for `proxy.ts`. */
export interface NextAuthCallbacks extends CallbacksOptions {
  /**
   * Decides whether a request may pass `proxy.ts` (or `middleware.ts`). Not called for the service's own paths.
   * @returns `true` to let the request pass, `false` or nothing to redirect to the sign-in page and back afterwards, or a
   *   `Response` to send instead. Default: every request passes.
   */
  authorized(params: { auth: Session | null; request: NextRequest }): Awaitable<boolean | Response | undefined>
}

/** The configuration of `NextAuth`. The base path is `basePath`, else the path of `AUTH_URL`, else `/api/auth`. */
export interface NextAuthConfig extends Omit<AuthConfig, "raw"> {
  callbacks?: Optional<NextAuthCallbacks> | undefined
}

/**
 * A configuration, or a function that returns one for each request. In server components and actions the function gets no
 * request; use `headers()` there. Return the same object as often as possible, since Latchkey resolves each object once.
 */
export type NextConfigSource =
  | NextAuthConfig
  | ((request: NextRequest | undefined) => NextAuthConfig | PromiseLike<NextAuthConfig>)

/** A resolved configuration and the paths of its route. */
export interface NextSettings {
  readonly settings: Settings
  readonly mount: Mount
  /** As configured, with `authorized`. */
  readonly callbacks: Optional<NextAuthCallbacks> | undefined
}

/** The path of the service, without a trailing slash. */
export interface Mount {
  /** As Next's routes see it, without Next's own `basePath`: `/api/auth`. */
  readonly path: string
  /** As the browser sees it. */
  readonly publicPath: string
}

export const forwardedFor = "x-forwarded-for"

/** The settings for a request, with what `process.env` and Next's `basePath` add to the configuration. */
export async function findSettings(source: NextConfigSource, request?: NextRequest): Promise<NextSettings> {
  return toSettings(typeof source === "function" ? await source(request) : source)
}

/** The settings with which the app's own code reads the session, as opposed to its clients. */
export async function findReadSettings(source: NextConfigSource, request?: NextRequest): Promise<NextSettings> {
  return toSettings(withStoredSession(typeof source === "function" ? await source(request) : source))
}

/**
 * Without a `session` callback, server code sees all columns of a stored session and of its user, as in `next-auth`: apps
 * look up their records by `session.user.id`. Only the token stays out, because pages pass the session on to components.
 */
const withStoredSession = deriveConfigs((given: NextAuthConfig): NextAuthConfig => {
  const isStored = given.adapter && given.session?.strategy !== "jwt"
  if (!isStored || given.callbacks?.session) return given
  return { ...given, callbacks: { ...given.callbacks, session: ({ session: { sessionToken: _, ...shown } }) => shown } }
})

function toSettings(given: NextAuthConfig): NextSettings {
  const { env } = process
  const appPath = readAppPath()
  const mount = findMount(given.basePath, findConfiguredUrl(env)?.pathname, appPath)
  const own = appPath === "" ? given : withPublicPages(given)
  const config = "EdgeRuntime" in globalThis ? withEdgeHint(own) : own
  return { settings: settingsOf(config, { env, mountPath: mount.publicPath }), mount, callbacks: given.callbacks }
}

/**
 * The caller behind a request's headers. Next puts the host in `X-Forwarded-Host` (`request.url` is `localhost`); it
 * counts under the same conditions as the `Host` header, which `trustHost` sets.
 */
export function toCaller(headers: Headers, config: Pick<AuthConfig, "trustedProxies">): Caller {
  return { headers, trustProxy: true, context: toContext(config) }
}

/**
 * Next hides the address of the socket, and any client can send `X-Forwarded-For`. With `trustedProxies` every request
 * comes through these proxies, so the header is read as if the first of them had sent it.
 */
export function toContext({ trustedProxies }: Pick<AuthConfig, "trustedProxies">): AuthContext {
  const first: unknown = trustedProxies?.[0] // The core rejects an option of another type.
  return typeof first === "string" ? { clientAddress: first.split("/", 1)[0] } : {}
}

/**
 * The address of a developer's own machine, for the details on the error page. During development Next sets
 * `X-Forwarded-For` to the address of the connection. Undefined in production, where clients could forge it, and behind
 * a proxy.
 */
export function findDeveloperAddress(
  forwarded: string | null,
  { trustedProxies, clientAddress }: Pick<AuthConfig, "trustedProxies" | "clientAddress">,
): string | undefined {
  if (process.env["NODE_ENV"] !== "development" || trustedProxies || clientAddress) return undefined
  return forwarded !== null && isLoopbackAddress(forwarded) ? forwarded : undefined
}

/**
 * The response to a request with an invalid host.
 * @throws any other error
 */
export function rejectHost(error: unknown): Response {
  if (!(error instanceof UntrustedHost)) throw error
  return Response.json("Bad request.", { status: 400 })
}

/** Next's own `basePath`, which its build writes into every bundle. */
export function readAppPath(): string {
  return process.env.__NEXT_ROUTER_BASEPATH ?? ""
}

const withPublicPages = deriveConfigs((given: NextAuthConfig): NextAuthConfig => {
  const appPath = readAppPath()
  const pages = Object.entries(given.pages ?? {}).map(([name, page]) => [name, page && toPublicPage(page, appPath)])
  return { ...given, pages: Object.fromEntries(pages) }
})

/** On the edge runtime, where most adapters fail, the log says so with every failed read of a session. */
const withEdgeHint = deriveConfigs((given: NextAuthConfig): NextAuthConfig => {
  return given.adapter ? { ...given, adapter: explainFailures(given.adapter) } : given
})

/** A proxy, because the methods of an adapter may be inherited and use private fields. */
function explainFailures(adapter: Adapter): Adapter {
  const { getSessionAndUser } = adapter
  if (!getSessionAndUser) return adapter
  const explained: typeof getSessionAndUser = async (token) => {
    try {
      return await getSessionAndUser.call(adapter, token)
    } catch (error) {
      throw new Error(
        "The adapter failed in middleware.ts or a route on the edge runtime: most adapters need Node. Rename middleware.ts to proxy.ts, or give it a configuration without the adapter (docs/guides/next.md, Split configuration)",
        { cause: error },
      )
    }
  }
  return new Proxy(adapter, {
    get(target, name) {
      const value: unknown = name === "getSessionAndUser" ? explained : Reflect.get(target, name, target)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}

/** The path of a page of the app as the browser sees it. URLs of other sites stay as they are. */
export function toPublicPage(page: string, appPath: string): string {
  if (appPath === "" || !/^\/(?!\/)/.test(page) || isBelow(toPath(page), appPath)) return page
  return page === "/" ? appPath : `${appPath}${page}`
}

const defaultMount = "/api/auth"

/**
 * The mount is the configured path, else the path of `AUTH_URL`; either may include Next's `basePath`. `AUTH_URL` may
 * also include a prefix that a proxy in front removes, if it ends with the mount.
 * @internal Exported for its tests.
 */
export function findMount(configured: string | undefined, fromEnv: string | undefined, appPath: string): Mount {
  const publicPath = trimPath(fromEnv ?? "")
  const ownPath = typeof configured === "string" ? normalizeBasePath(configured) : "" // The core rejects other types.
  // Percent-encoded, as the others are.
  const start = normalizeBasePath(appPath)
  const path = withoutAppPath(ownPath, start) || chooseMount(publicPath, start)
  const own = `${start}${path}`
  return { path, publicPath: publicPath.endsWith(own) ? publicPath : own }
}

function chooseMount(publicPath: string, appPath: string): string {
  if (publicPath === "" || publicPath === appPath || publicPath.endsWith(defaultMount)) return defaultMount
  return withoutAppPath(publicPath, appPath)
}

function withoutAppPath(path: string, appPath: string): string {
  return appPath !== "" && isBelow(path, appPath) ? path.slice(appPath.length) : path
}

/** The public path for a path that Next sees, without the slash that Next's `trailingSlash` option adds. */
export function toPublicPath(path: string, mount: Mount): string {
  const known = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path
  return isBelow(known, mount.path) ? `${mount.publicPath}${known.slice(mount.path.length)}` : known
}
