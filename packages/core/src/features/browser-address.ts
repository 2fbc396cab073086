import { isForwarded, isLocalHost } from "../http/client-address.js"
import { isHttp } from "../http/origin.js"
import type { AuthRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import type { IncomingHeaders } from "../types/http.js"

/** A request for a page. Its connection is unknown while the request cannot be read. */
export type PageRequest = Pick<AuthRequest, "url" | "headers"> & Partial<Pick<AuthRequest, "context">>

/** What the environment says about the address of the app. */
export interface StatedAddress {
  /** The value of `AUTH_URL`. Undefined if it is not set. */
  readonly authUrl?: string | undefined
  /** The part of its path that a proxy has to cut off, such as `/app`. */
  readonly cutPath?: string | undefined
}

/** How the address in the browser differs from that of the request. */
export type Difference = "scheme" | "host" | "path"

/**
 * How the address that the browser shows differs from the one that the service was told. The forms of its pages do not work
 * then. Null if nothing shows a difference: then there may be one, too.
 */
export function findDifference({ url, headers }: PageRequest, stated: StatedAddress = {}): Difference | null {
  const referrer = URL.parse(headers.get("referer") ?? "")
  const from = isHttp(referrer) ? referrer : null
  // Browsers send this header with every request for https, and no page can forge it.
  const site = headers.get("sec-fetch-site")
  if (site === "same-origin" && from) return from.origin === url.origin ? null : compare(from, url)
  if (url.protocol === "http:" ? isOverHttps(headers, url, from) : site === null && isDowngraded(from, url))
    return "scheme"
  if (findNamedHost(headers, url, stated) !== url.host) return "host"
  return stated.cutPath !== undefined && !hasProxy(headers) ? "path" : null
}

function compare(from: URL, url: URL): Difference {
  return from.hostname === url.hostname && from.protocol !== url.protocol ? "scheme" : "host"
}

/** Headers by which proxies say that the browser uses https, whether or not the framework believes them. */
const httpsHeaders: Readonly<Record<string, RegExp>> = {
  "x-forwarded-proto": /^\s*https\b/i,
  "x-forwarded-protocol": /^\s*https\b/i,
  "x-forwarded-scheme": /^\s*https\b/i,
  "x-url-scheme": /^\s*https\b/i,
  "x-forwarded-ssl": /^\s*on\b/i,
  "front-end-https": /^\s*on\b/i,
  "cloudfront-forwarded-proto": /^\s*https\b/i,
  "cf-visitor": /"scheme":"https"/,
  forwarded: /\bproto="?https\b/i,
}

function isOverHttps(headers: IncomingHeaders, url: URL, from: URL | null): boolean {
  if (Object.entries(httpsHeaders).some(([name, pattern]) => pattern.test(headers.get(name) ?? ""))) return true
  if (from?.protocol === "https:" && from.hostname === url.hostname) return true
  // Browsers send these over http to this machine only.
  const isSecure = headers.has("sec-fetch-site") || /(?:^|;\s*)__(?:Secure|Host)-/.test(headers.get("cookie") ?? "")
  return isSecure && !isLocalHost(url.hostname, "loopback")
}

function isDowngraded(from: URL | null, url: URL): boolean {
  return from?.protocol === "http:" && from.hostname === url.hostname && from.port === url.port
}

/** A proxy may replace `Host`, and is believed to pass it on as `X-Forwarded-Host`. */
function findNamedHost(headers: IncomingHeaders, url: URL, { authUrl }: StatedAddress): string {
  const forwarded = headers.get("x-forwarded-host")?.split(",", 1)[0]?.trim()
  const named = forwarded || (authUrl === undefined || hasProxy(headers) ? undefined : headers.get("host"))
  const parsed = named ? URL.parse(`${url.protocol}//${named}`) : null
  return parsed?.host ?? url.host
}

function hasProxy(headers: IncomingHeaders): boolean {
  return isForwarded(headers) || ["via", "x-forwarded-proto", "x-forwarded-host"].some((name) => headers.has(name))
}

const differences: Readonly<Record<Difference, (url: URL) => string>> = {
  scheme: ({ protocol }) => `browsers open its pages over ${protocol === "http:" ? "https" : "http"}`,
  host: () => "browsers open its pages at another host",
  path: () => "requests come without the beginning of its path, and no proxy seems to cut it off",
}

/**
 * Compares the address that the service was told with the one that the browser shows, and logs a difference once. The line has
 * no text of the request: anyone could send it.
 */
export function checkAddress(request: PageRequest, stated: StatedAddress, log: Log): Difference | null {
  const difference = findDifference(request, stated)
  if (difference)
    log.warnOnce(
      "address-mismatch",
      `${describeCause(difference, request, stated)}, but ${differences[difference](request.url)}`,
    )
  return difference
}

function describeCause(difference: Difference, { context }: PageRequest, { authUrl }: StatedAddress): string {
  if (authUrl !== undefined) return `AUTH_URL is ${authUrl}`
  const header = difference === "scheme" ? "X-Forwarded-Proto" : "X-Forwarded-Host"
  const setting = context?.proxySetting === undefined ? "" : ` (${context.proxySetting})`
  return `AUTH_URL is not set, and no proxy that the framework trusts${setting} sends ${header}`
}
