import type { Clock } from "../contract/clock.js"
import type { CookieSerializeOptions } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"

/** Browsers keep no cookie for longer: RFC 6265bis section 5.5, "cookie lifetime limits". */
const maxLifetimeSeconds = 400 * 24 * 60 * 60
const sameSites: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [true, "Strict"],
  ["strict", "Strict"],
  ["lax", "Lax"],
  ["none", "None"],
])
const priorities: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
])

/**
 * The text of a `Set-Cookie` header, RFC 6265bis section 4.1.1: value percent-encoded, lifetime at most 400 days.
 * Name, path and domain go out as they are; `findCookieMistake` looked at them when the service was configured.
 */
export function serializeCookie({ name, value, options }: ResponseCookie, clock: Clock = Date.now): string {
  const { maxAge, domain, path, expires } = options
  let text = `${name}=${encodeCookieValue(value)}`
  if (maxAge !== undefined && !Number.isNaN(maxAge)) text += `; Max-Age=${limitMaxAge(maxAge)}`
  if (domain) text += `; Domain=${domain}`
  if (path) text += `; Path=${path}`
  if (expires && !Number.isNaN(expires.getTime())) text += `; Expires=${limitExpiry(expires, clock)}`
  return text + toFlags(options)
}

/** Characters that stand for themselves: all that tokens and random ids are made of. */
export const plainCookieText: RegExp = /^[\w.~-]*$/

/** The value as it stands in the header: percent-encoded UTF-8. A lone surrogate has no UTF-8 and becomes U+FFFD. */
export function encodeCookieValue(value: string): string {
  if (plainCookieText.test(value)) return value
  try {
    return encodeURIComponent(value)
  } catch {
    // Thrown for lone surrogates alone.
    return encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\uFFFD"))
  }
}

function toFlags(options: CookieSerializeOptions): string {
  const sameSite = sameSites.get(toLowerCase(options.sameSite))
  const priority = priorities.get(toLowerCase(options.priority))
  let text = ""
  if (options.httpOnly) text += "; HttpOnly"
  if (options.secure) text += "; Secure"
  if (sameSite) text += `; SameSite=${sameSite}`
  if (options.partitioned) text += "; Partitioned"
  if (priority) text += `; Priority=${priority}`
  return text
}

function limitMaxAge(seconds: number): number {
  return Math.floor(Math.min(Math.max(seconds, 0), maxLifetimeSeconds))
}

function limitExpiry(expires: Date, clock: Clock): string {
  const latest = clock() + maxLifetimeSeconds * 1000
  return (expires.getTime() > latest ? new Date(latest) : expires).toUTCString()
}

function toLowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value
}

/** Leaves room for a flow id or a chunk's number within the 4096 characters that browsers take for name and value. */
const maxNameLength = 128
const token = /^[\w!#$%&'*+.^`|~-]+$/
const pathText = /^\/[\x20-\x3a\x3c-\x7e]*$/
const domainText = /^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

/**
 * What is wrong with a configured cookie, as a sentence, or null: characters that would end the attribute they stand
 * in, and combinations that browsers drop without a word.
 */
export function findCookieMistake(name: string, options: CookieSerializeOptions): string | null {
  return findNameMistake(name) ?? findAttributeMistake(options) ?? findSecurityMistake(name.toLowerCase(), options)
}

function findNameMistake(name: unknown): string | null {
  if (typeof name !== "string" || !token.test(name)) return "name must be a token of RFC 9110 section 5.6.2"
  return name.length > maxNameLength ? `name must have ${maxNameLength} characters at most` : null
}

function findAttributeMistake({ path, domain, sameSite, priority }: CookieSerializeOptions): string | null {
  if (path !== undefined && !pathText.test(path))
    return "path must start with a slash and hold no semicolon or control character"
  if (domain !== undefined && !domainText.test(domain)) return "domain must be a host name"
  if (sameSite !== undefined && sameSite !== false && !sameSites.has(toLowerCase(sameSite))) {
    return "sameSite must be true, false, lax, strict or none"
  }
  if (priority !== undefined && !priorities.has(toLowerCase(priority))) return "priority must be low, medium or high"
  return null
}

function findSecurityMistake(name: string, options: CookieSerializeOptions): string | null {
  if (name.startsWith("__host-") && !isHostOnly(options)) {
    return "a name with the prefix __Host- needs secure, path / and no domain"
  }
  if (options.secure) return null
  if (name.startsWith("__secure-")) return "a name with the prefix __Secure- needs secure"
  if (toLowerCase(options.sameSite) === "none") return "sameSite none needs secure"
  return options.partitioned ? "partitioned needs secure" : null
}

function isHostOnly({ secure, path, domain }: CookieSerializeOptions): boolean {
  return secure === true && path === "/" && domain === undefined
}
