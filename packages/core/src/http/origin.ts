import { UntrustedHost } from "../errors/errors.js"

/** What is known of the address under which visitors reach the service. What stands first wins. */
export interface OriginOptions {
  /** The public origin, as configured: nothing in the request changes it. */
  readonly origin?: string | undefined
  /** `http` or `https`, with or without its colon, where a framework found it out. */
  readonly protocol?: string | undefined
  /** Host with its port, where a framework found it out. */
  readonly host?: string | undefined
  /**
   * Believes `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server that nobody reaches but through a proxy that
   * sets both. Default: false.
   */
  readonly trustProxy?: boolean | undefined
  /** The protocol where nothing else says one: what the socket says. Default: `https`. */
  readonly socketProtocol?: string | undefined
}

/** A part of an address, and who says so. */
interface Claim {
  readonly text: string
  readonly source: string
}

/** Labels of letters, digits, `-` and `_`, or an IPv6 address; then a port. No user, no path. */
const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const maxHostLength = 261

/**
 * Decides the origin of a request: this is the only place that does.
 * @returns The origin as browsers write it: lower case, without a default port.
 * @throws UntrustedHost when protocol or host is not one, so that neither can bring a user, path or query into a URL
 */
export function resolveOrigin(headers: HostHeaders, options: OriginOptions): string {
  if (options.origin !== undefined) return options.origin
  const protocol = parseProtocol(
    findFound(headers, "x-forwarded-proto", options.protocol) ??
      findForwarded(headers, "x-forwarded-proto", options) ??
      socketOf(options),
  )
  const host =
    findFound(headers, "x-forwarded-host", options.host) ??
    findForwarded(headers, "x-forwarded-host", options) ??
    findOwnHost(headers)
  if (!host) throw new UntrustedHost("The request names no host. Set AUTH_URL to the app's address")
  return parseHost(host, protocol).origin
}

/** What a framework found out; nearly always from the header, which is then what an operator looks for. */
function findFound(headers: HostHeaders, name: ForwardedName, text: string | undefined): Claim | undefined {
  if (text === undefined) return undefined
  const isFromHeader = readFirst(headers, name) === text
  if (isFromHeader && name === "x-forwarded-host") assertOneHost(headers.get(name) ?? "")
  return { text, source: isFromHeader ? `the header ${headerNames[name]}` : "the framework" }
}

function findOwnHost(headers: HostHeaders): Claim | undefined {
  const text = headers.get("host")
  return text === null || text === undefined ? undefined : { text, source: "the header Host" }
}

function socketOf({ socketProtocol }: OriginOptions): Claim {
  return { text: socketProtocol || "https", source: "the connection" }
}

const headerNames = { "x-forwarded-proto": "X-Forwarded-Proto", "x-forwarded-host": "X-Forwarded-Host" } as const
type ForwardedName = keyof typeof headerNames

function findForwarded(headers: HostHeaders, name: ForwardedName, { trustProxy }: OriginOptions): Claim | undefined {
  const text = trustProxy === true ? readFirst(headers, name) : ""
  if (text === "") return undefined
  if (name === "x-forwarded-host") assertOneHost(headers.get(name) ?? "")
  return { text, source: `the header ${headerNames[name]}` }
}

/**
 * Some proxies add to what a visitor wrote: then the first host is the visitor's choice, and nothing tells that from
 * the name which the outermost of several proxies saw.
 */
function assertOneHost(header: string): void {
  const hosts = new Set(header.split(",").map((host) => host.trim().toLowerCase()))
  if (hosts.size === 1) return
  const shown = [...hosts].map((host) => `"${toShownHost(host)}"`).join(" and ")
  throw new UntrustedHost(
    `The header X-Forwarded-Host names ${shown}. Let the proxy replace what visitors send, or set AUTH_URL to the app's address`,
  )
}

/** The first value counts: it is what the outermost proxy saw. */
function readFirst(headers: HostHeaders, name: ForwardedName): string {
  return headers.get(name)?.split(",", 1)[0]?.trim() ?? ""
}

function parseProtocol({ text, source }: Claim): "http" | "https" {
  const protocol = text.replace(/:$/, "").toLowerCase()
  if (protocol === "http" || protocol === "https") return protocol
  throw new UntrustedHost(
    `The protocol "${toShownHost(text)}" (${source}) is neither http nor https. Mend what sets it, or set AUTH_URL to the app's address`,
  )
}

function parseHost({ text, source }: Claim, protocol: "http" | "https"): URL {
  const host = text.toLowerCase()
  const url = host.length <= maxHostLength && hostPattern.test(host) ? URL.parse(`${protocol}://${host}`) : null
  // A name that a URL parser reads as another one (`0x7f.1` is 127.0.0.1) is a disguise.
  if (url && (host.startsWith("[") || url.hostname === host.split(":", 1)[0])) return url
  throw new UntrustedHost(
    `"${toShownHost(text)}" (${source}) is no host name with an optional port. Mend what sets it, or set AUTH_URL to the app's address`,
  )
}

/** The origins under which the service may be addressed. */
export interface AllowedOrigins {
  includes(url: URL): boolean
}

/** A wildcard stands for one label: of `https://*.ok.test`, scheme and suffix. */
interface Wildcard {
  readonly start: string
  /** With its leading dot, and the port if there is one. */
  readonly end: string
}

const wildcardMark = "://*."
const label = /^[a-z0-9_-]+$/

/**
 * What is wrong with an entry, as the rest of a sentence; null when nothing is. An entry is an origin as a browser
 * writes it (RFC 6454 section 6.2), or one with a single `*` for its first label.
 */
export function validateOrigin(entry: unknown): string | null {
  if (typeof entry !== "string") return "must be text"
  const written = entry.replace(wildcardMark, "://")
  const url = URL.parse(written)
  if (!isHttp(url) || written.includes("*")) return "must be an origin such as https://app.test or https://*.app.test"
  const isWildcard = written !== entry
  if (isWildcard && !isNameOfOthers(url.hostname)) return "needs a name of two labels or more after the *"
  if (url.origin === written) return null
  const canonical = isWildcard ? url.origin.replace("://", wildcardMark) : url.origin
  return `must be an origin and no more: write ${canonical}`
}

/** A name under which somebody can have names: not an address, and not a whole top-level domain. */
function isNameOfOthers(hostname: string): boolean {
  if (hostname === "localhost") return true
  return /\.[a-z0-9-]*[a-z][a-z0-9-]*\.?$/.test(hostname)
}

/** Compares parsed origins, never texts of URLs. The entries must have no mistake. */
export function createAllowedOrigins(entries: readonly string[]): AllowedOrigins {
  const exact = new Set(entries.filter((entry) => !entry.includes(wildcardMark)))
  const wildcards = entries.filter((entry) => entry.includes(wildcardMark)).map(toWildcard)
  return {
    includes(url) {
      // `blob:` URLs have the origin of the page that made them.
      if (!isHttp(url)) return false
      const { origin } = url
      return exact.has(origin) || wildcards.some((wildcard) => matches(origin, wildcard))
    },
  }
}

function toWildcard(entry: string): Wildcard {
  const [scheme = "", name = ""] = entry.split(wildcardMark)
  return { start: `${scheme}://`, end: `.${name}` }
}

function matches(origin: string, { start, end }: Wildcard): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  return label.test(origin.slice(start.length, -end.length))
}

/**
 * Refuses an address under which the service is not to be reached: one that is not listed, and without a list a host
 * with a trailing dot, which is another origin to browsers than the one without.
 * @param allowed Null: the host said nothing.
 * @param headers The request's headers, for the log.
 */
export function findForeignOrigin(
  url: URL,
  allowed: AllowedOrigins | null,
  headers: HostHeaders,
): UntrustedHost | null {
  if (allowed ? allowed.includes(url) : !url.hostname.endsWith(".")) return null
  const request = `The request is for ${url.origin}, by the host ${describeHost(headers, url.host)}`
  return new UntrustedHost(
    allowed
      ? `${request}, which is not in allowedOrigins. If people reach the service there, add "${url.origin}"`
      : `${request}, which ends with a dot. If people reach the service there, list it: allowedOrigins: ["${url.origin}"]`,
  )
}

/** A request's headers, by their names in lower case. */
export interface HostHeaders {
  get(name: "host" | "x-forwarded-host" | "x-forwarded-proto"): string | null | undefined
}

const maxShown = 80

/** A host as it was sent, fit for the log: what is no part of host names is shown as `?`, a user name not at all. */
function toShownHost(text: string): string {
  const host = text.slice(text.lastIndexOf("@") + 1)
  const shown = host.slice(0, maxShown).replace(/[^\w.:[\]-]/g, "?")
  return host.length > maxShown ? `${shown}...` : shown
}

const hostHeaders = [
  ["x-forwarded-host", "X-Forwarded-Host"],
  ["host", "Host"],
] as const

/**
 * A host and the header that named it, for the log.
 * @param host The one that counted; without it the first that a header names.
 */
export function describeHost(headers: HostHeaders, host?: string): string {
  for (const [name, shown] of hostHeaders) {
    const named = headers.get(name)?.split(",", 1)[0]?.trim()
    if (!named || (host !== undefined && named.toLowerCase() !== host)) continue
    return `"${toShownHost(named)}" (the header ${shown})`
  }
  return host === undefined ? "none" : `"${toShownHost(host)}"`
}

/** Whether there is a URL, and its scheme is http or https. */
export function isHttp(url: URL | null): url is URL {
  return url?.protocol === "https:" || url?.protocol === "http:"
}
