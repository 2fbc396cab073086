import { parseSetCookie, type SameSite, type SetCookie } from "./set-cookie.js"

/** A cookie as a browser keeps it. */
export interface StoredCookie {
  readonly name: string
  /** As on the wire: percent-encoding is not undone. */
  readonly value: string
  readonly domain: string
  /** True without `Domain`: the cookie goes to this host alone. */
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  readonly sameSite: SameSite
  /** Null: until the browser is closed. */
  readonly expiresAt: Date | null
}

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

/** The request whose answer sets a cookie. */
interface StoringRequest {
  readonly url: URL
  /** True for a script's request to another site, whose answer may set `SameSite=None` cookies only. */
  readonly isForeignScript: boolean
}

interface Candidate {
  readonly cookie: SetCookie
  readonly request: StoringRequest
  readonly kept: readonly StoredCookie[]
}

interface Rule {
  readonly reason: string
  readonly forbids: (candidate: Candidate) => boolean
}

const longestPairBytes = 4096

/** The rules of RFC 6265bis sections 5.6 and 5.7, in their order. */
const rules: readonly Rule[] = [
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
    reason: "the domain is not the host's",
    forbids: ({ cookie, request }) => !covers(cookie.domain, request.url.hostname),
  },
  {
    reason: "Secure over a connection that is not",
    forbids: ({ cookie, request }) => cookie.isSecure && request.url.protocol !== "https:",
  },
  { reason: "SameSite=None without Secure", forbids: ({ cookie }) => cookie.sameSite === "None" && !cookie.isSecure },
  {
    reason: "SameSite in the answer to a script of another site",
    forbids: ({ cookie, request }) => request.isForeignScript && cookie.sameSite !== "None",
  },
  {
    reason: "the prefix __Secure- needs Secure",
    forbids: ({ cookie }) => hasPrefix(cookie, "__secure-") && !cookie.isSecure,
  },
  {
    reason: "the prefix __Host- needs Secure, Path=/ and no Domain",
    forbids: ({ cookie }) =>
      hasPrefix(cookie, "__host-") && !(cookie.isSecure && cookie.path === "/" && cookie.domain === ""),
  },
  {
    reason: "a Secure cookie of this name is there",
    forbids: ({ cookie, request, kept }) => overlaysSecure(cookie, request, kept),
  },
]

/** Why a browser does not store this cookie. Undefined when it does. */
function refuseCookie(cookie: SetCookie, request: StoringRequest, kept: readonly StoredCookie[]): string | undefined {
  return rules.find(({ forbids }) => forbids({ cookie, request, kept }))?.reason
}

function covers(domain: string, hostname: string): boolean {
  return domain === "" || domain === hostname || (hostname.endsWith(`.${domain}`) && !isIpAddress(hostname))
}

/** Also a nameless cookie, whose value would be taken for a name by servers, section 5.7 steps 20 and 21. */
function hasPrefix({ name, value }: SetCookie, prefix: string): boolean {
  return (name || value).toLowerCase().startsWith(prefix)
}

function overlaysSecure(cookie: SetCookie, { url }: StoringRequest, kept: readonly StoredCookie[]): boolean {
  if (url.protocol === "https:" || cookie.isSecure) return false
  return kept.some(
    ({ name, domain, isSecure }) => isSecure && name === cookie.name && domain === (cookie.domain || url.hostname),
  )
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/**
 * The site of a URL: its scheme and registrable domain (HTML, section "sites"). Without a public suffix list: the last
 * two labels of a name are taken for the registrable domain, an IP address or a single label stands for itself.
 */
function siteOf(url: URL): string {
  return `${url.protocol}//${registrableDomain(url.hostname)}`
}

export function isSameSite(one: URL, other: URL): boolean {
  return siteOf(one) === siteOf(other)
}

/** True where a cookie for this domain would reach unrelated hosts, such as `test` or `com`. */
function isPublicSuffix(domain: string): boolean {
  return !domain.includes(".")
}

function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname)
}

function registrableDomain(hostname: string): string {
  return isIpAddress(hostname) ? hostname : hostname.split(".").slice(-2).join(".")
}
