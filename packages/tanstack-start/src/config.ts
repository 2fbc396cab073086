import {
  type Caller,
  type ConfigSource,
  type HostConfig,
  readProcessEnv,
  resolveSettings,
  type Settings,
} from "@latchkey/core/integration"

/** The configuration of the service. Set `basePath` if the endpoints are not at `/api/auth`. */
export type StartAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type StartConfigSource = ConfigSource<Request>

/** What TanStack Start does not know about the request. */
export interface StartAuthOptions {
  /**
   * Returns the address of the socket, for rate limits, such as `getRequestIP` of `@tanstack/react-start/server`. Default:
   * unknown; the option `clientAddress` of the configuration can read your platform's header.
   */
  readonly findSocketAddress?: ((request: Request) => string | undefined) | undefined
}

/** The resolved configuration for a request. */
export function findSettings(source: StartConfigSource, request: Request): Promise<Settings> {
  return resolveSettings(source, request, { env: readProcessEnv(), defaultBasePath: "/api/auth" })
}

/**
 * The caller of a request. TanStack Start ignores forwarded headers, so the URL is that of the connection. Apps with a
 * middleware of their own lose its check of forms, unless they add it.
 */
export function toCaller(request: Request, { findSocketAddress }: StartAuthOptions): Caller {
  const { headers, method, url } = request
  const { protocol, host } = new URL(url)
  const clientAddress = findSocketAddress?.(request)
  return { headers, method, protocol, host, context: { clientAddress }, needsFormOrigin: true }
}

/** Whether TanStack Start itself sent the request while it prerenders, perhaps without the secrets of the server. */
export function isPrerendering(): boolean {
  return readProcessEnv()["TSS_PRERENDERING"] === "true"
}
