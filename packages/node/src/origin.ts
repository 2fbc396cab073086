import { InvalidRequest } from "@latchkey/core/errors"
import type { NodeRequest } from "./node-request.js"

/** What is known of the address under which visitors reach the service. What stands first wins. */
export interface OriginOptions {
  /** The public origin, as configured: nothing in the request changes it. */
  readonly origin?: string | undefined
  /** `http` or `https`, with or without its colon, where a framework found it out. Default: what the socket says. */
  readonly protocol?: string | undefined
  /** Host with its port, where a framework found it out. Default: `:authority` (HTTP/2) or the `Host` header. */
  readonly host?: string | undefined
  /**
   * Believes `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server that nobody reaches but through a proxy that
   * sets both. Default: false.
   */
  readonly trustProxy?: boolean | undefined
}

/** Labels of letters, digits, `-` and `_`, or an IPv6 address; then a port. No user, no path, no trailing dot. */
const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const maxHostLength = 261

/**
 * Decides the origin of a request: this is the only place that does.
 * @throws InvalidRequest when protocol or host is not one, so that neither can bring a user, path or query into a URL
 */
export function resolveOrigin(request: NodeRequest, options: OriginOptions): string {
  if (options.origin !== undefined) return options.origin
  const protocol = options.protocol ?? findForwarded(request, "x-forwarded-proto", options) ?? findProtocol(request)
  const host = options.host ?? findForwarded(request, "x-forwarded-host", options) ?? findHost(request)
  return `${parseProtocol(protocol)}://${parseHost(host)}`
}

/** The origin of `AUTH_URL` or `NEXTAUTH_URL`; undefined when neither is an http(s) URL. */
export function findConfiguredOrigin(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = URL.parse(env["AUTH_URL"] || env["NEXTAUTH_URL"] || "")
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.origin : undefined
}

/** The first value counts: it is what the outermost proxy saw. */
function findForwarded(request: NodeRequest, name: string, { trustProxy }: OriginOptions): string | undefined {
  if (trustProxy !== true) return undefined
  return (
    String(request.headers[name] ?? "")
      .split(",", 1)[0]
      ?.trim() || undefined
  )
}

function findProtocol({ socket }: NodeRequest): string {
  return "encrypted" in socket && socket.encrypted === true ? "https" : "http"
}

/** @throws InvalidRequest for several hosts, RFC 9112 section 3.2: Node keeps the first, a proxy may have used another */
function findHost({ headers, rawHeaders }: NodeRequest): string | undefined {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === "host") count++
  if (count > 1) throw new InvalidRequest("The request has several Host headers")
  const authority = headers[":authority"]
  return typeof authority === "string" ? authority : headers.host
}

function parseProtocol(text: string): "http" | "https" {
  const protocol = text.replace(/:$/, "").toLowerCase()
  if (protocol === "http" || protocol === "https") return protocol
  throw new InvalidRequest("The protocol of the request is neither http nor https")
}

function parseHost(text: string | undefined): string {
  if (text === undefined || text.length > maxHostLength || !hostPattern.test(text)) throw invalidHost()
  const host = text.toLowerCase()
  const parsed = URL.parse(`http://${host}`)
  // A name that a URL parser reads as another one (`0x7f.1` is 127.0.0.1) is a disguise.
  if (!parsed || !(host.startsWith("[") || parsed.hostname === host.split(":", 1)[0])) throw invalidHost()
  return host
}

function invalidHost(): InvalidRequest {
  return new InvalidRequest("The host of the request is missing or is not a host name with an optional port")
}
