import {
  type Caller,
  type ConfigSource,
  type HostConfig,
  readProcessEnv,
  resolveSettings,
  type Settings,
} from "@latchkey/core/integration"

/** The parts of the arguments of loaders, actions and middleware that are used. */
export interface RouteArgs {
  /** The request as the server received it. Its URL may be that of a page's data. */
  readonly request: Request
  /** The page that is loaded. */
  readonly url: URL
  /** React Router's `RouterContextProvider`, the same object for all parts of a request. */
  readonly context: object
}

/** React Router's `MiddlewareFunction<Response>`. */
export type RouteMiddleware = (args: RouteArgs, next: () => Promise<Response>) => Promise<Response>

/** The configuration of the service. Set `basePath` if the route is not at `/api/auth`, with the app's `basename`. */
export type ReactRouterAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type ReactRouterConfigSource = ConfigSource<RouteArgs>

/** What React Router does not know about the request. */
export interface ReactRouterAuthOptions {
  /**
   * Returns the address of the socket from what your server passes as `getLoadContext`, for rate limits. Default: unknown;
   * the option `clientAddress` of the configuration can read your platform's header.
   */
  readonly findSocketAddress?: ((context: RouteArgs["context"]) => string | undefined) | undefined
}

/** The resolved configuration for a request. */
export function findSettings(source: ReactRouterConfigSource, args: RouteArgs): Promise<Settings> {
  return resolveSettings(source, args, { env: readProcessEnv(), defaultBasePath: "/api/auth" })
}

/**
 * The caller of a request. React Router ignores forwarded headers, so the URL is that of the connection. It checks the
 * origin of actions of pages only, and lets a form without an origin pass.
 */
export function toCaller({ request, context }: RouteArgs, options: ReactRouterAuthOptions): Caller {
  const { protocol, host } = new URL(request.url)
  const clientAddress = options.findSocketAddress?.(context)
  const { headers, method } = request
  return { headers, method, protocol, host, context: { clientAddress }, needsFormOrigin: true }
}

/** Whether React Router itself sent the request while it prerenders, perhaps without the secrets of the server. */
export function isPrerender({ request }: RouteArgs): boolean {
  return readProcessEnv()["IS_RR_BUILD_REQUEST"] === "yes" && !request.headers.has("cookie")
}
