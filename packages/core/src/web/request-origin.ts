import { UntrustedHost } from "../errors/request.js"
import { type HostHeaders, toShownHost } from "./shown-host.js"

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
