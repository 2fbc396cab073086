import type { SetCookie } from "./set-cookie.js"
import { isIpAddress, isPublicSuffix } from "./site.js"
import type { StoredCookie } from "./stored-cookie.js"

/** The request whose answer sets a cookie. */
export interface StoringRequest {
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
export function refuseCookie(
  cookie: SetCookie,
  request: StoringRequest,
  kept: readonly StoredCookie[],
): string | undefined {
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
