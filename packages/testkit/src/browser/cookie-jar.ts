import { refuseCookie, type StoringRequest } from "./cookie-rules.js"
import { parseSetCookie, type SetCookie } from "./set-cookie.js"
import type { StoredCookie } from "./stored-cookie.js"

/** A request for which cookies are looked up. */
export interface CookieRequest {
  readonly url: URL
  readonly method: string
  readonly isSameSite: boolean
  /** True for what changes the address bar, false for requests by scripts. */
  readonly isTopLevel: boolean
}

/** A `Set-Cookie` header that the browser did not obey, and the rule that forbids it. */
export interface RefusedCookie {
  readonly name: string
  readonly url: string
  readonly reason: string
}

/** Keeps cookies as a browser does, RFC 6265bis. Time is what `Date.now` says. */
export interface CookieJar {
  store(header: string, request: StoringRequest): void
  /** The value of the `Cookie` header; empty when there is none. */
  header(request: CookieRequest): string
  /** What has not expired: longest path first, then oldest first, as in the header. */
  list(): readonly StoredCookie[]
  put(cookie: StoredCookie): void
  remove(matches: (cookie: StoredCookie) => boolean): void
  readonly refused: readonly RefusedCookie[]
}

const longestLifetimeSeconds = 400 * 24 * 60 * 60

export function createCookieJar(): CookieJar {
  /** In order of creation. A cookie that is set again keeps its place. */
  const kept = new Map<string, StoredCookie>()
  const refused: RefusedCookie[] = []

  function list(): readonly StoredCookie[] {
    const now = Date.now()
    for (const [key, cookie] of kept) if (cookie.expiresAt && cookie.expiresAt.getTime() <= now) kept.delete(key)
    return [...kept.values()].sort((one, other) => other.path.length - one.path.length)
  }

  return {
    refused,
    list,
    put: (cookie) => void kept.set(keyOf(cookie), cookie),
    remove(matches) {
      for (const [key, cookie] of kept) if (matches(cookie)) kept.delete(key)
    },
    header: (request) =>
      list()
        .filter((cookie) => isSentWith(cookie, request))
        .map(({ name, value }) => (name ? `${name}=${value}` : value))
        .join("; "),
    store(header, request) {
      const cookie = parseSetCookie(header)
      const reason = cookie ? refuseCookie(cookie, request, list()) : "the header cannot be read"
      if (cookie && !reason) {
        const stored = toStored(cookie, request.url)
        kept.set(keyOf(stored), stored)
      } else refused.push({ name: cookie?.name ?? "", url: request.url.href, reason: reason ?? "" })
    },
  }
}

function toStored(cookie: SetCookie, url: URL): StoredCookie {
  const { name, value, isSecure, isHttpOnly, sameSite } = cookie
  const isHostOnly =
    cookie.domain === "" || (cookie.domain === url.hostname.toLowerCase() && !url.hostname.includes("."))
  return {
    name,
    value,
    domain: isHostOnly ? url.hostname : cookie.domain,
    isHostOnly,
    path: cookie.path || defaultPath(url),
    isSecure,
    isHttpOnly,
    sameSite,
    expiresAt: expiryOf(cookie),
  }
}

/** `Max-Age` wins over `Expires`, RFC 6265bis section 5.7 step 3; section 5.5 caps both. */
function expiryOf({ maxAgeSeconds, expires }: SetCookie): Date | null {
  const latest = Date.now() + longestLifetimeSeconds * 1000
  if (maxAgeSeconds !== undefined) {
    return maxAgeSeconds <= 0 ? new Date(0) : new Date(Math.min(Date.now() + maxAgeSeconds * 1000, latest))
  }
  return expires ? new Date(Math.min(expires.getTime(), latest)) : null
}

/** RFC 6265bis section 5.1.4. */
function defaultPath(url: URL): string {
  const end = url.pathname.lastIndexOf("/")
  return end <= 0 ? "/" : url.pathname.slice(0, end)
}

function keyOf({ name, domain, isHostOnly, path }: StoredCookie): string {
  return JSON.stringify([name, domain, isHostOnly, path])
}

function isSentWith(cookie: StoredCookie, request: CookieRequest): boolean {
  const { hostname, pathname, protocol } = request.url
  const isHost = hostname === cookie.domain || (!cookie.isHostOnly && hostname.endsWith(`.${cookie.domain}`))
  return (
    isHost &&
    pathMatches(pathname, cookie.path) &&
    (!cookie.isSecure || protocol === "https:") &&
    isSiteFit(cookie, request)
  )
}

function pathMatches(pathname: string, path: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith("/") || pathname[path.length] === "/"))
}

/** RFC 6265bis section 5.8.3: across sites `Lax` goes only with top-level navigations by a safe method. */
function isSiteFit({ sameSite }: StoredCookie, { isSameSite, isTopLevel, method }: CookieRequest): boolean {
  if (isSameSite || sameSite === "None") return true
  return sameSite === "Lax" && isTopLevel && (method === "GET" || method === "HEAD")
}
