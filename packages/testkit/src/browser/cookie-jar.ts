import { parseSetCookie, type SameSite, type SetCookie } from "./set-cookie.js"

/** A cookie as a browser stores it. */
export interface StoredCookie {
  readonly name: string
  /** As on the wire, percent-encoding included. */
  readonly value: string
  readonly domain: string
  /** True without `Domain`: the cookie is sent to this host only. */
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  readonly sameSite: SameSite
  /** Null: until the browser is closed. */
  readonly expiresAt: Date | null
}

/** A request to which the jar adds its cookies. */
export interface CookieRequest {
  readonly url: URL
  readonly method: string
  readonly isSameSite: boolean
  /** True for a navigation, false for a request by a script. */
  readonly isTopLevel: boolean
}

/** A cookie that the browser did not store, and the rule that it broke. */
export interface RefusedCookie {
  readonly name: string
  /** URL of the response that set it. */
  readonly url: string
  readonly reason: string
}

/** A cookie jar that follows RFC 6265bis. Its clock is `Date.now`. */
export interface CookieJar {
  /** Stores the cookie of a `Set-Cookie` header, or adds it to `refused`. */
  store(header: string, request: StoringRequest): void
  /** Returns the value of the `Cookie` header, empty without cookies. */
  header(request: CookieRequest): string
  /** Lists the cookies that have not expired: longest path first, then oldest first, as in the header. */
  list(): readonly StoredCookie[]
  /** Stores a cookie without applying the storage rules. */
  put(cookie: StoredCookie): void
  remove(matches: (cookie: StoredCookie) => boolean): void
  readonly refused: readonly RefusedCookie[]
}

const longestLifetimeSeconds = 400 * 24 * 60 * 60

/** Creates an empty cookie jar. */
export function createCookieJar(): CookieJar {
  /** In order of creation. A cookie that is set again keeps its position. */
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
    /** Stores the cookie of a `Set-Cookie` header, or adds it to `refused`. */
    store(header, request) {
      const cookie = parseSetCookie(header)
      const reason = cookie ? findBrokenRule(cookie, request, list()) : "the header is malformed"
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

/** `Max-Age` takes precedence over `Expires`, RFC 6265bis section 5.7 step 3; section 5.5 caps both. */
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
    isAllowedBySameSite(cookie, request)
  )
}

function pathMatches(pathname: string, path: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith("/") || pathname[path.length] === "/"))
}

/** RFC 6265bis section 5.8.3: a cross-site request carries `Lax` cookies only if it is a navigation with a safe method. */
function isAllowedBySameSite({ sameSite }: StoredCookie, { isSameSite, isTopLevel, method }: CookieRequest): boolean {
  if (isSameSite || sameSite === "None") return true
  return sameSite === "Lax" && isTopLevel && (method === "GET" || method === "HEAD")
}

/** The request whose response sets a cookie. */
interface StoringRequest {
  readonly url: URL
  /** True for a script's request to another site, whose response can set only `SameSite=None` cookies. */
  readonly isCrossSiteScript: boolean
}

interface Candidate {
  readonly cookie: SetCookie
  readonly request: StoringRequest
  readonly kept: readonly StoredCookie[]
}

interface StorageRule {
  readonly reason: string
  readonly forbids: (candidate: Candidate) => boolean
}

const longestPairBytes = 4096

/** The rules of RFC 6265bis sections 5.6 and 5.7, in that order. */
const storageRules: readonly StorageRule[] = [
  {
    reason: `name and value together are longer than ${longestPairBytes} bytes`,
    forbids: ({ cookie }) => byteLength(cookie.name) + byteLength(cookie.value) > longestPairBytes,
  },
  {
    reason: "the domain is a public suffix",
    forbids: ({ cookie, request }) =>
      isPublicSuffix(cookie.domain) && !["", request.url.hostname].includes(cookie.domain),
  },
  {
    reason: "the domain does not match the host",
    forbids: ({ cookie, request }) => !covers(cookie.domain, request.url.hostname),
  },
  {
    reason: "Secure over plain HTTP",
    forbids: ({ cookie, request }) => cookie.isSecure && request.url.protocol !== "https:",
  },
  { reason: "SameSite=None without Secure", forbids: ({ cookie }) => cookie.sameSite === "None" && !cookie.isSecure },
  {
    reason: "SameSite=Lax or Strict in a response to a cross-site script",
    forbids: ({ cookie, request }) => request.isCrossSiteScript && cookie.sameSite !== "None",
  },
  {
    reason: "the prefix __Secure- requires Secure",
    forbids: ({ cookie }) => hasPrefix(cookie, "__secure-") && !cookie.isSecure,
  },
  {
    reason: "the prefix __Host- requires Secure, Path=/ and no Domain",
    forbids: ({ cookie }) =>
      hasPrefix(cookie, "__host-") && !(cookie.isSecure && cookie.path === "/" && cookie.domain === ""),
  },
  {
    reason: "it would overwrite a Secure cookie",
    forbids: ({ cookie, request, kept }) => overwritesSecure(cookie, request, kept),
  },
]

/** Returns why a browser does not store this cookie, or undefined if it does. */
function findBrokenRule(cookie: SetCookie, request: StoringRequest, kept: readonly StoredCookie[]): string | undefined {
  return storageRules.find(({ forbids }) => forbids({ cookie, request, kept }))?.reason
}

function covers(domain: string, hostname: string): boolean {
  return domain === "" || domain === hostname || (hostname.endsWith(`.${domain}`) && !isIpAddress(hostname))
}

/** Servers read the value of a nameless cookie as its name, section 5.7 steps 20 and 21. */
function hasPrefix({ name, value }: SetCookie, prefix: string): boolean {
  return (name || value).toLowerCase().startsWith(prefix)
}

function overwritesSecure(cookie: SetCookie, { url }: StoringRequest, kept: readonly StoredCookie[]): boolean {
  if (url.protocol === "https:" || cookie.isSecure) return false
  return kept.some(
    ({ name, domain, isSecure }) => isSecure && name === cookie.name && domain === (cookie.domain || url.hostname),
  )
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * Whether two URLs share scheme and registrable domain (HTML, section "Sites"). There is no public suffix list: the
 * registrable domain is the last two labels of a name, or the whole of an IP address or single label.
 */
export function isSameSite(one: URL, other: URL): boolean {
  return siteOf(one) === siteOf(other)
}

function siteOf(url: URL): string {
  return `${url.protocol}//${registrableDomain(url.hostname)}`
}

function registrableDomain(hostname: string): string {
  return isIpAddress(hostname) ? hostname : hostname.split(".").slice(-2).join(".")
}

/** Whether a cookie for this domain would reach unrelated hosts, as with `test` or `com`. */
function isPublicSuffix(domain: string): boolean {
  return !domain.includes(".")
}

function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname)
}
