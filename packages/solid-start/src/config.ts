import type { AuthContext } from "@latchkey/core"
import {
  type Caller,
  deriveConfigs,
  forbidPlatformCaching,
  type HostConfig,
  readProcessEnv,
  type Settings,
  settingsOf,
  withRememberedCookies,
} from "@latchkey/core/integration"

/** The configuration of the service. Its path is `prefix` alone; the path of `AUTH_URL` is ignored. */
export interface SolidAuthConfig extends Omit<HostConfig, "basePath"> {
  /** The path of the catch-all route that mounts the service. Default: `/api/auth`. */
  readonly prefix?: string | undefined
  /** Not read, as in Auth.js: `prefix` sets the path. */
  readonly basePath?: string | undefined
}

const toHostConfig = deriveConfigs(({ prefix, ...config }: SolidAuthConfig): HostConfig => {
  return { ...config, basePath: prefix ?? "/api/auth" } // JavaScript apps may set null.
})

/** The resolved configuration. The environment is read at the first call. */
export function findSettings(config: SolidAuthConfig): Settings {
  return settingsOf(toHostConfig(config), { env: readProcessEnv() })
}

/** The parts of SolidStart's events that are used: those of API routes, and the one of `getRequestEvent()`. */
export interface SolidEvent {
  readonly request: Request
  /** The address of the socket. */
  readonly clientAddress?: string | undefined
  /** The response that SolidStart is building. */
  readonly response?: { readonly headers: Headers } | undefined
  /** The event of h3, which SolidStart runs on. */
  readonly nativeEvent?: { readonly res?: unknown } | undefined
}

/**
 * Whether cookies can still be set. SolidStart does not tell when a stream has begun, but the event of h3 does: the headers of
 * its response are taken then, and it has another response afterwards.
 */
export function canSetCookies({ response, nativeEvent }: SolidEvent): boolean {
  return response !== undefined && (nativeEvent?.res === undefined || nativeEvent.res === response)
}

/**
 * The caller behind an event. SolidStart ignores forwarded headers, so the URL is that of the connection. It runs a server
 * function for the form of any site. A response that depends on the caller stays out of the cache of a platform.
 */
export function toCaller({ request, clientAddress }: SolidEvent): Caller {
  forbidPlatformCaching(request)
  const { protocol, host } = new URL(request.url)
  const context: AuthContext = { clientAddress }
  return {
    headers: withRememberedCookies(request, request.headers),
    method: request.method,
    protocol,
    host,
    context,
    needsFormOrigin: true,
  }
}
