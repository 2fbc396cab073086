import type { IncomingHttpHeaders } from "node:http"
import {
  type AuthContext,
  type HostHeaders,
  type OriginOptions,
  resolveOrigin as resolveFromHeaders,
} from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import {
  type Caller,
  type ConfigSource,
  isLocalAddress,
  resolveSettings as resolveFromEnvironment,
  type Settings,
  settingsOf,
} from "@latchkey/core/integration"

/** Headers by lower-case name. Adapters of function platforms set a number as `content-length`. */
export type NodeHeaderValues = IncomingHttpHeaders | Readonly<Record<string, HeaderValue>>

type HeaderValue = string | number | readonly string[] | null | undefined

/**
 * The parts of a request that are read: Node's `IncomingMessage`, the request of its HTTP/2 compatibility API, and the
 * requests of the frameworks that extend them.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: NodeHeaderValues
  /** The request ID that loggers such as pino-http and frameworks assign. */
  readonly id?: unknown
  /** Missing in requests that were made without a connection, by a function platform or a test. */
  readonly rawHeaders?: readonly string[] | undefined
  /** Missing likewise. */
  readonly socket?: object | null | undefined
  /** HTTP/2: whether a body follows. */
  readonly stream?: { readonly endAfterHeaders: boolean } | undefined
  /** Connect, Express: the target before a mount path was cut off `url`. */
  readonly originalUrl?: string | undefined
  /** The result of a body parser. */
  readonly body?: unknown
  /** The bytes of the body, on platforms that read it themselves. */
  readonly rawBody?: unknown
  readonly readableDidRead?: boolean | undefined
  readonly readableEnded?: boolean | undefined
  readonly destroyed?: boolean | undefined
  pause(): unknown
  resume(): unknown
  on(event: string, listener: (chunk: Uint8Array) => void): unknown
  off(event: string, listener: (chunk: Uint8Array) => void): unknown
}

/**
 * Returns the settings for a configuration that is mounted on `mountPath`, completed from `process.env`.
 * Synchronous for an object: a promise would cost each request more than everything else here.
 * @param mountPath Without a trailing slash. Empty: only the configuration and the environment set the base path.
 */
export function resolveSettings<Req>(
  source: ConfigSource<Req>,
  req: Req,
  mountPath = "",
): Settings | Promise<Settings> {
  const options = { env: process.env, mountPath }
  return typeof source === "function" ? resolveFromEnvironment(source, req, options) : settingsOf(source, options)
}

/** Where a request came from, as far as a framework knows. */
export interface CallerOptions extends OriginOptions {
  /** How the app makes the framework trust its proxy, for the log. Default: the option of `toNodeHandler`. */
  readonly proxySetting?: string | undefined
}

/** The setting of node:http, without a framework. */
export const nodeProxySetting = "toNodeHandler(config, { trustProxy: true })"

/** The arguments for the functions of `@latchkey/core/integration`. */
export interface FoundCaller {
  readonly caller: Caller
  /** With the public origin of the app. */
  readonly settings: Settings
}

/**
 * Finds the origin and the cookies of a request.
 * @throws UntrustedHost for an invalid host
 */
export function findCaller(request: NodeRequest, settings: Settings, options: CallerOptions = {}): FoundCaller {
  const origin = settings.origin ?? resolveOrigin(request, options)
  const { headers, method } = request
  const caller = {
    headers: fromNodeHeaders(headers),
    method,
    context: readContext(request, options.proxySetting ?? nodeProxySetting),
  }
  return { caller, settings: { ...settings, origin } }
}

/**
 * Reads the client address and the request ID. A Unix socket and a closed connection have no address.
 */
export function readContext({ socket, id }: Pick<NodeRequest, "socket" | "id">, proxySetting?: string): AuthContext {
  const address: unknown = socket && "remoteAddress" in socket ? socket.remoteAddress : undefined
  return {
    clientAddress: typeof address === "string" ? address : undefined,
    requestId: typeof id === "string" ? id : undefined,
    proxySetting,
  }
}

/** A framework's rule for its proxies: whether the address that is `hop` hops away from the server belongs to one. */
export type TrustRule = (address: string, hop: number) => boolean

/** How far a rule trusts addresses that no proxy has. */
type Reach = "named" | "counted" | "everyone"

/** Reserved for no host: RFC 1122 section 3.2.1.3, RFC 1112 section 4, RFC 2544, RFC 6666. */
const strangers = ["0.0.0.1", "198.18.0.1", "240.0.0.1", "100::1"] as const
const manyHops = 63

const reaches = new WeakMap<object, Reach>()

/** What a framework says about the address of a client. */
export interface ForwardedAddress {
  /** Identifies the rule, which is examined once. */
  readonly rule: object
  readonly trusts: TrustRule
  /** What the framework derived from `X-Forwarded-For`. */
  readonly address: string | undefined
}

/**
 * The context with the client address that a framework derived from `X-Forwarded-For`, if it can be believed.
 *
 * - A rule that names its proxies: yes.
 * - A rule that counts hops, such as `trust proxy: 1`: only if the connection comes from a private network, because
 *   everyone who reaches the server directly could choose the address.
 * - A rule that trusts every address, by `true`, a function or a wide range: no. The context says so.
 * @param context Has the address of the connection.
 */
export function withForwarded(context: AuthContext, { rule, trusts, address }: ForwardedAddress): AuthContext {
  const { clientAddress: peer = "" } = context
  // The client may be on the machine of the proxy, and have its address.
  if (address === peer && !trusts(peer, 0)) return context
  const reach = reaches.get(rule) ?? findReach(trusts)
  reaches.set(rule, reach)
  if (reach === "everyone") return { ...context, trustsEveryProxy: true }
  const isBelieved = reach === "named" || isLocalAddress(peer)
  return isBelieved ? { ...context, clientAddress: address, isForwarded: true, peerAddress: peer } : context
}

function findReach(trusts: TrustRule): Reach {
  const trusted = strangers.filter((address) => trusts(address, 0))
  if (trusted.length === 0) return "named"
  return trusted.some((address) => trusts(address, manyHops)) ? "everyone" : "counted"
}

/**
 * Converts Node's headers to Web `Headers`. Drops the pseudo-headers of HTTP/2 and joins the cookies that HTTP/2 sends
 * separately into one header (RFC 9113 section 8.2.3).
 */
export function fromNodeHeaders(headers: NodeHeaderValues): Headers {
  const converted = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined || value === null) continue
    if (!Array.isArray(value)) converted.set(name, String(value))
    else for (const one of value) converted.append(name, one)
  }
  return converted
}

/** The value of a header, as `Headers` joins several. Null if there is none. */
export function readHeader(headers: NodeHeaderValues, name: string): string | null {
  // as: an object of headers has values by name
  const value = (headers as Readonly<Record<string, HeaderValue>>)[name]
  if (typeof value === "string") return value
  if (value === undefined || value === null) return null
  return Array.isArray(value) ? value.join(name === "cookie" ? "; " : ", ") : String(value)
}

/**
 * Resolves the origin of a request of node:http (or HTTP/2) by the rules of the core: the host of `:authority` or the
 * `Host` header, and the protocol of the socket, unless the options override them.
 * @throws UntrustedHost for an invalid protocol or host, so that neither can bring a user, path or query into a URL
 */
export function resolveOrigin(request: NodeRequest, options: OriginOptions): string {
  if (options.origin !== undefined) return options.origin
  if (options.host === undefined) assertOneHost(request)
  return resolveFromHeaders(hostHeaders(request), { ...options, socketProtocol: findProtocol(request) })
}

function hostHeaders({ headers }: NodeRequest): HostHeaders {
  return {
    get(name) {
      if (name !== "host") return readHeader(headers, name)
      const value = headers[":authority"] ?? headers["host"]
      return Array.isArray(value) ? value[0] : value === undefined || value === null ? undefined : String(value)
    },
  }
}

function findProtocol({ socket }: NodeRequest): string {
  return socket && "encrypted" in socket && socket.encrypted === true ? "https" : "http"
}

/**
 * @throws UntrustedHost for several hosts (RFC 9112 section 3.2): Node keeps the first, a proxy may have used another
 */
function assertOneHost({ rawHeaders = [], headers: { host } }: NodeRequest): void {
  // A list without a connection, from an adapter that keeps what the platform received.
  let count = Array.isArray(host) ? host.length : 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index])) count++
  if (count > 1) throw new UntrustedHost("The request has several Host headers. Fix the proxy that adds them")
}

/** Most names differ in length already. */
function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === "host"
}
