import type { AuthContext } from "@latchkey/core"
import {
  type Caller,
  type ConfigSource,
  deriveConfigs,
  type HostConfig,
  readProcessEnv,
  type Settings,
  settingsOf,
} from "@latchkey/core/integration"
import { toWebRequest } from "@latchkey/node"
import { getRequestHost, getRequestIP, getRequestProtocol, getRequestWebStream, type H3Event } from "h3"

/** The configuration of the service. The module sets its path. */
export interface NuxtAuthConfig extends Omit<HostConfig, "basePath"> {
  /** Not read: the option `basePath` of the module sets the path. */
  readonly basePath?: string | undefined
}

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type NuxtAuthSource = ConfigSource<H3Event>

/** Types the configuration in `server/auth.config.ts`: `export default defineAuthConfig({ providers: [GitHub] })`. */
export function defineAuthConfig<Source extends NuxtAuthSource>(config: Source): Source {
  return config
}

/**
 * Creates a function that resolves the configuration for a request. Nuxt routes by the whole path, so that the path of
 * `AUTH_URL` is not used.
 */
export function settingsFinder(source: NuxtAuthSource, mountPath: string): (event: H3Event) => Promise<Settings> {
  const toHostConfig = deriveConfigs((config: HostConfig): HostConfig => ({ ...config, basePath: mountPath }))
  return async (event) => {
    const config = typeof source === "function" ? await source(event) : source
    return settingsOf(toHostConfig(config), { env: readProcessEnv() })
  }
}

/**
 * The event's request with its body, for the service.
 * @throws InvalidRequest for an invalid target or method
 * @throws UntrustedHost for an invalid host
 */
export function toRequest(event: H3Event): Request {
  const { req, res } = event.node
  // The stream of h3 ends the process if its reader stops before the body is complete.
  if (isUnread(event)) return toWebRequest(req, { response: res })
  // Streams need `duplex` (Fetch standard), which the types of browsers lack.
  const init: RequestInit & { readonly duplex: "half" } = { duplex: "half" }
  const body = getRequestWebStream(event)
  if (body) init.body = body
  return new Request(toHead(event), init)
}

/** Whether the body is still in a stream of Node. On other platforms, and after the app has read it, h3 has it. */
function isUnread({ node: { req }, web }: H3Event): boolean {
  const isElsewhere = web !== undefined || "body" in req || "rawBody" in req || "__unenv__" in req
  return !isElsewhere && !req.readableDidRead
}

/** The event's request without its body, which belongs to the app. */
export function toHead(event: H3Event): Request {
  const { protocol, host } = findHost(event)
  return new Request(`${protocol}://${host}${readTarget(event)}`, { method: event.method, headers: event.headers })
}

/** Path and query as the browser sent them, with Nuxt's `app.baseURL`. */
export function readTarget({ node, path }: H3Event): string {
  const target = node.req.originalUrl ?? path
  return target.startsWith("/") ? target : "/"
}

/** The caller of an event. Nothing checks the origin of forms, neither Nuxt nor h3. */
export function toCaller(event: H3Event): Caller {
  const context: AuthContext = { clientAddress: getRequestIP(event) }
  return { headers: event.headers, method: event.method, ...findHost(event), context, needsFormOrigin: true }
}

/** h3 would believe `X-Forwarded-Proto` from anyone, and would take the host of a path such as `//evil.test/`. */
function findHost(event: H3Event): { readonly protocol: string; readonly host: string } {
  const protocol = getRequestProtocol(event, { xForwardedProto: false })
  return { protocol, host: getRequestHost(event, { xForwardedHost: false }) }
}
