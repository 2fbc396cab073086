import type { AuthContext } from "@latchkey/core"
import {
  type Caller,
  type ConfigSource,
  type HostConfig,
  readProcessEnv,
  resolveSettings,
  type Settings,
} from "@latchkey/core/integration"

/** The configuration of the host. `basePath` is optional if `prefix` sets it. */
export type ElysiaAuthConfig = HostConfig

/**
 * A configuration, or a function that returns the one for a request. Return the same object for the same case: Latchkey
 * resolves each configuration object once.
 */
export type ElysiaConfigSource = ConfigSource<Request>

/** How clients reach the app. */
export interface ElysiaAuthOptions {
  /**
   * Trust `X-Forwarded-Proto` and `X-Forwarded-Host`. Set it only if all requests come through a proxy that sets both.
   * Not needed with `AUTH_URL`. Default: false.
   */
  readonly trustProxy?: boolean | undefined
  /**
   * The path of the endpoints as the server receives it, for a proxy that cuts off the beginning of the public path.
   * Default: `basePath`, else the path of `AUTH_URL`, else `/auth`.
   */
  readonly prefix?: string | undefined
}

/** Returns the settings for a request, completed from the environment. */
export function findSettings(source: ElysiaConfigSource, request: Request, mountPath: string): Promise<Settings> {
  return resolveSettings(source, request, { env: readProcessEnv(), mountPath })
}

/** What Elysia's server knows about a connection: that of Bun, or that of `@elysiajs/node`, which throws. */
export interface AddressSource {
  requestIP?(request: Request): { readonly address: unknown } | null
}

/** The caller of a request. */
export function toCaller(
  request: Request,
  server: AddressSource | null | undefined,
  { trustProxy }: ElysiaAuthOptions,
): Caller {
  const { headers, method, url } = request
  return { headers, method, url, host: findOddHost(request), trustProxy, context: readContext(request, server) }
}

/**
 * A Host header that the URL of the request does not repeat, because the server has changed it: `app.test@evil.test`, say.
 * It counts, so that an invalid one is rejected.
 */
function findOddHost({ headers, url }: Request): string | undefined {
  const header = headers.get("host")?.toLowerCase()
  const { host = "", protocol } = URL.parse(url) ?? {}
  const isUsual = header === host || header === `${host}:${protocol === "https:" ? 443 : 80}`
  return isUsual ? undefined : header
}

function readContext(request: Request, server: AddressSource | null | undefined): AuthContext {
  const address = findNodeAddress(request) ?? ("Bun" in globalThis ? server?.requestIP?.(request)?.address : undefined)
  return {
    clientAddress: typeof address === "string" ? address : undefined,
    proxySetting: "ElysiaAuth(config, { trustProxy: true })",
  }
}

/** What `@elysiajs/node` adds to a request. */
interface NodeRuntime {
  readonly runtime?: { readonly node?: { readonly req?: { readonly socket?: { readonly remoteAddress?: unknown } } } }
}

function findNodeAddress(request: Request & NodeRuntime): unknown {
  return request.runtime?.node?.req?.socket?.remoteAddress
}
