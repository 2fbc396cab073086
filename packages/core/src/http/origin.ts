import { InvalidCallbackUrl, UntrustedHost } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { BoundedMap } from "../runtime/cache.js"

/** The headers that name a host or protocol, by name in lower case. */
export interface HostHeaders {
  get(name: "host" | "x-forwarded-host" | "x-forwarded-proto"): string | null | undefined
}

/** What is known about the origin of the app. Earlier fields take precedence. */
export interface OriginOptions {
  /** The configured public origin. Nothing in the request changes it. */
  readonly origin?: string | undefined
  /** The protocol that a framework determined: `http` or `https`, with or without a colon. */
  readonly protocol?: string | undefined
  /** The host that a framework determined, with its port. */
  readonly host?: string | undefined
  /**
   * Trusts `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server that is reachable exclusively through a proxy
   * that sets both. Default: false.
   */
  readonly trustProxy?: boolean | undefined
  /** The protocol of the connection. Default: `https`. */
  readonly socketProtocol?: string | undefined
}

/** A host or protocol, and where it comes from. */
interface Claim {
  readonly text: string
  readonly source: string
}

/**
 * Determines the origin of a request. No other code does.
 * @returns The origin as browsers serialize it: lower case, without a default port.
 * @throws UntrustedHost if protocol or host is invalid, so that neither can add a user, path or query to a URL.
 */
export function resolveOrigin(headers: HostHeaders, options: OriginOptions): string {
  if (options.origin !== undefined) return options.origin
  const protocol = parseProtocol(
    findFrameworkClaim(headers, "x-forwarded-proto", options.protocol) ??
      findForwardedClaim(headers, "x-forwarded-proto", options) ?? {
        text: options.socketProtocol || "https",
        source: "the connection",
      },
  )
  const host =
    findFrameworkClaim(headers, "x-forwarded-host", options.host) ??
    findForwardedClaim(headers, "x-forwarded-host", options) ??
    findHostHeader(headers)
  if (!host) throw new UntrustedHost("The request names no host. Set AUTH_URL to the app's address")
  return toOrigin(host, protocol)
}

const headerNames = { "x-forwarded-proto": "X-Forwarded-Proto", "x-forwarded-host": "X-Forwarded-Host" } as const
type ForwardedName = keyof typeof headerNames

/** Frameworks usually take the value from the forwarding header; the error then names the header. */
function findFrameworkClaim(headers: HostHeaders, name: ForwardedName, text: string | undefined): Claim | undefined {
  if (text === undefined) return undefined
  const isFromHeader = readFirst(headers, name) === text
  if (isFromHeader && name === "x-forwarded-host") assertOneHost(headers.get(name) ?? "")
  return { text, source: isFromHeader ? `the header ${headerNames[name]}` : "the framework" }
}

function findForwardedClaim(
  headers: HostHeaders,
  name: ForwardedName,
  { trustProxy }: OriginOptions,
): Claim | undefined {
  const text = trustProxy === true ? readFirst(headers, name) : ""
  if (text === "") return undefined
  if (name === "x-forwarded-host") assertOneHost(headers.get(name) ?? "")
  return { text, source: `the header ${headerNames[name]}` }
}

function findHostHeader(headers: HostHeaders): Claim | undefined {
  const text = headers.get("host")
  return text === null || text === undefined ? undefined : { text, source: "the header Host" }
}

/** The first value is the one that the outermost proxy saw. */
function readFirst(headers: HostHeaders, name: ForwardedName): string {
  return headers.get(name)?.split(",", 1)[0]?.trim() ?? ""
}

/**
 * Some proxies append to the visitor's header: then the visitor chose the first host, which looks the same as the host
 * that the outermost of several proxies saw.
 */
function assertOneHost(header: string): void {
  const hosts = new Set(header.split(",").map((host) => host.trim().toLowerCase()))
  if (hosts.size === 1) return
  const shown = [...hosts].map((host) => `"${toShownHost(host)}"`).join(" and ")
  throw new UntrustedHost(
    `The header X-Forwarded-Host names ${shown}. Configure the proxy to replace the header, or set AUTH_URL to the app's address`,
  )
}

function parseProtocol({ text, source }: Claim): "http" | "https" {
  if (text === "https" || text === "http") return text
  const protocol = text.replace(/:$/, "").toLowerCase()
  if (protocol === "http" || protocol === "https") return protocol
  throw new UntrustedHost(
    `The protocol "${toShownHost(text)}" (${source}) must be http or https. Fix its source, or set AUTH_URL to the app's address`,
  )
}

/** Labels of letters, digits, `-` and `_`, or an IPv6 address; then a port. No user, no path. */
const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const maxHostLength = 261

/** The origins of valid hosts. Clients choose the host, so their number is limited. */
const origins = new BoundedMap<string, string>(100)

function toOrigin({ text, source }: Claim, protocol: "http" | "https"): string {
  const host = text.toLowerCase()
  const address = `${protocol}://${host}`
  const known = origins.get(address)
  if (known !== undefined) return known
  const url = host.length <= maxHostLength && hostPattern.test(host) ? URL.parse(address) : null
  // Refuses a name that the URL parser changes, such as `0x7f.1`, which is 127.0.0.1.
  if (url && (host.startsWith("[") || url.hostname === host.split(":", 1)[0])) {
    origins.set(address, url.origin)
    return url.origin
  }
  throw new UntrustedHost(
    `"${toShownHost(text)}" (${source}) is not a valid host. Fix its source, or set AUTH_URL to the app's address`,
  )
}

/** The origins under which the service may be reached. */
export interface AllowedOrigins {
  includes(url: URL): boolean
}

const wildcardMark = "://*."

/**
 * Validates an entry of `allowedOrigins`: an origin as browsers serialize it (RFC 6454 section 6.2), or one with `*` as
 * its first label.
 * @returns the rest of a sentence, or null if the entry is valid.
 */
export function validateOrigin(entry: unknown): string | null {
  if (typeof entry !== "string") return "must be text"
  const written = entry.replace(wildcardMark, "://")
  const url = URL.parse(written)
  if (!isHttp(url) || written.includes("*")) return "must be an origin such as https://app.test or https://*.app.test"
  const isWildcard = written !== entry
  if (isWildcard && !allowsSubdomains(url.hostname)) return "must have at least two labels after the *"
  if (url.origin === written) return null
  const canonical = isWildcard ? url.origin.replace("://", wildcardMark) : url.origin
  return `must be an origin without anything else: write ${canonical}`
}

/** Whether a wildcard below this name makes sense: the name is neither an IP address nor a top-level domain. */
function allowsSubdomains(hostname: string): boolean {
  if (hostname === "localhost") return true
  return /\.[0-9-]*[a-z][a-z0-9-]*\.?$/.test(hostname)
}

/**
 * Creates a check for the listed origins. It compares parsed origins, never the text of URLs.
 * @param entries Entries that `validateOrigin` accepts.
 */
export function createAllowedOrigins(entries: readonly string[]): AllowedOrigins {
  const exact = new Set(entries.filter((entry) => !entry.includes(wildcardMark)))
  const wildcards = entries.filter((entry) => entry.includes(wildcardMark)).map(toWildcard)
  return {
    includes(url) {
      // `blob:` URLs have the origin of the page that created them.
      if (!isHttp(url)) return false
      const { origin } = url
      return exact.has(origin) || wildcards.some((wildcard) => matches(origin, wildcard))
    },
  }
}

/** The two halves of an entry around the `*`, which stands for one label. */
interface Wildcard {
  readonly start: string
  /** With its leading dot, and the port if there is one. */
  readonly end: string
}

function toWildcard(entry: string): Wildcard {
  const [scheme = "", name = ""] = entry.split(wildcardMark)
  return { start: `${scheme}://`, end: `.${name}` }
}

const label = /^[a-z0-9_-]+$/

function matches(origin: string, { start, end }: Wildcard): boolean {
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  return label.test(origin.slice(start.length, -end.length))
}

/**
 * Returns an error if the service must not be reached under this URL: its origin is not listed, or, without a list, its
 * host ends with a dot, which is another origin to browsers.
 * @param allowed Null if no origins are configured.
 * @param headers The request's headers, for the log.
 */
export function findForeignOrigin(
  url: URL,
  allowed: AllowedOrigins | null,
  headers: HostHeaders,
): UntrustedHost | null {
  if (allowed ? allowed.includes(url) : !url.hostname.endsWith(".")) return null
  const request = `The request is for ${url.origin}, according to the host ${describeHost(headers, url.host)}`
  return new UntrustedHost(
    allowed
      ? `${request}, which is not in allowedOrigins. If the app is served there, add "${url.origin}"`
      : `${request}, which ends with a dot. If the app is served there, list it: allowedOrigins: ["${url.origin}"]`,
    because("host-not-listed", { host: url.host }),
  )
}

const hostHeaders = [
  ["x-forwarded-host", "X-Forwarded-Host"],
  ["host", "Host"],
] as const

/**
 * Describes a host and the header that named it, for the log.
 * @param host The host of the request; without it, the first host that a header names.
 */
export function describeHost(headers: HostHeaders, host?: string): string {
  for (const [name, shown] of hostHeaders) {
    const named = headers.get(name)?.split(",", 1)[0]?.trim()
    if (!named || (host !== undefined && named.toLowerCase() !== host)) continue
    return `"${toShownHost(named)}" (the header ${shown})`
  }
  return host === undefined ? "none" : `"${toShownHost(host)}"`
}

const maxShown = 80

/** Makes an untrusted host safe to log: without a user name, and with `?` for characters that hosts cannot have. */
function toShownHost(text: string): string {
  const host = text.slice(text.lastIndexOf("@") + 1)
  const shown = host.slice(0, maxShown).replace(/[^\w.:[\]-]/g, "?")
  return host.length > maxShown ? `${shown}...` : shown
}

/** Whether the value is the text of an http(s) URL, or such a URL. */
export function isHttpAddress(value: unknown): boolean {
  const text = String(value)
  if (usualAddress.test(text)) return true
  // Takes a fifth of the time: no object is created.
  return text.startsWith("https:") ? URL.canParse(text) : isHttp(URL.parse(text))
}

/** Addresses that need no parser: a host of letters and dots can be neither an IP address nor an internationalized name. */
const usualAddress = /^https:\/\/[a-z]+(?:\.[a-z]+)*(?:\/[\w~/-]*)?$/

/** Whether the URL exists and its scheme is http or https. */
export function isHttp(url: URL | null): url is URL {
  return url?.protocol === "https:" || url?.protocol === "http:"
}

/**
 * Rejects a `callbackUrl` parameter that is not a URL or path, before the host's policy sees it.
 * @throws InvalidCallbackUrl
 */
export function assertCallbackParameter(url: URL): void {
  const given = url.searchParams.get("callbackUrl")
  if (given && !isAddress(given)) throw new InvalidCallbackUrl("callbackUrl: must be a URL or a path")
}

/**
 * A URL of a native app. Its scheme is a reversed domain name (RFC 8252 section 7.1) and so contains a dot. Schemes that
 * browsers handle themselves, such as `javascript`, contain none.
 */
export const appUrl: RegExp = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/[\x21-\x5b\x5d-\x7e]*$/i

/** Whether the text may be handed to the host's policy. */
export function isAddress(text: string): boolean {
  return text.startsWith("/") || appUrl.test(text) || isHttpAddress(text)
}
