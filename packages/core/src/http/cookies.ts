import { BoundedMap } from "../runtime/cache.js"
import type { Clock } from "../types/basics.js"
import type { CookieOption, CookieSerializeOptions, ResponseCookie } from "../types/http.js"

/** The cookies of one request, percent-decoded once. Parsed on first use. */
export interface CookieJar {
  /** Characters of the header. */
  readonly size: number
  /** The first value of this name; browsers send the longest path first. */
  get(name: string): string | undefined
  /** Every value of this name, in header order. */
  values(name: string): readonly string[]
  /** The distinct names that begin with `prefix`, in header order. */
  namesStarting(prefix: string): readonly string[]
}

/** Maximum number of cookies of one session under any configuration: the number that is searched and cleared. */
export const mostSessionChunks = 20

/** Cookies of one session unless the host allows more. */
export const defaultSessionChunks = 3

type ValuesByName = ReadonlyMap<string, readonly string[]>

/** Reads a `Cookie` header, RFC 6265 section 4.2.1. Never throws: a value that cannot be decoded is kept as it is. */
export function readCookies(header: string | null): CookieJar {
  if (!header) return emptyJar
  let parsed: ValuesByName | undefined
  return createJar(
    () => {
      parsed ??= parsePairs(header)
      return parsed
    },
    { size: header.length, toValue: decode },
  )
}

const emptyJar: CookieJar = { size: 0, get: () => undefined, values: () => [], namesStarting: () => [] }

/** Wraps cookies that a framework already parsed and decoded. Values that are not text are dropped. */
export function toCookieJar(cookies: Readonly<Record<string, unknown>>): CookieJar {
  const entries = Object.entries(cookies).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, [value]] as const] : [],
  )
  const values: ValuesByName = new Map(entries)
  const size = entries.reduce((sum, [name, [value]]) => sum + name.length + value.length, 0)
  return createJar(() => values, { size, toValue: (value) => value })
}

/** The jar of a browser that has just got these cookies. */
export function toSetJar(cookies: readonly { readonly name: string; readonly value: string }[]): CookieJar {
  return toCookieJar(Object.fromEntries(cookies.map(({ name, value }) => [name, value])))
}

interface JarFacts {
  readonly size: number
  readonly toValue: (text: string) => string
}

function createJar(read: () => ValuesByName, { size, toValue }: JarFacts): CookieJar {
  return {
    size,
    get(name) {
      const first = read().get(name)?.[0]
      return first === undefined ? undefined : toValue(first)
    },
    values: (name) => (read().get(name) ?? []).map(toValue),
    namesStarting(prefix) {
      const names: string[] = []
      for (const name of read().keys()) if (name.startsWith(prefix)) names.push(name)
      return names
    },
  }
}

/**
 * Returns a map, because `__proto__` must be a name like any other. Takes linear time for any header.
 */
function parsePairs(header: string): ValuesByName {
  const values = new Map<string, string[]>()
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=")
    const name = trim(pair.slice(0, Math.max(0, equals)))
    if (name === "") continue
    const value = trim(pair.slice(equals + 1))
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

/** Removes spaces and tabs at both ends, RFC 6265bis section 5.6. Other white space is part of the value. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t"
}

function decode(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
  const text = isQuoted ? value.slice(1, -1) : value
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Not a cookie of the service, whose values are always encoded. Another program's cookie must not fail the request.
    return text
  }
}

/** The longest lifetime that browsers accept: RFC 6265bis section 5.5, "cookie lifetime limits". */
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
 * Serializes a `Set-Cookie` header, RFC 6265bis section 4.1.1: value percent-encoded, lifetime at most 400 days.
 * Name, path and domain are written as they are, because `validateCookie` checked them at the start.
 */
export function serializeCookie(cookie: ResponseCookie, clock: Clock = Date.now): string {
  const { name, value, options } = cookie
  const { maxAge, domain, path, expires } = options
  let text = `${name}=${cookie instanceof PlainCookie ? value : encodeCookieValue(value)}`
  if (maxAge !== undefined && !Number.isNaN(maxAge)) text += `; Max-Age=${limitMaxAge(maxAge)}`
  if (domain) text += `; Domain=${domain}`
  if (path) text += `; Path=${path}`
  if (expires && !Number.isNaN(expires.getTime())) text += `; Expires=${limitExpiry(expires, clock)}`
  return text + toFlags(options)
}

/**
 * A cookie whose value is known to need no encoding. Testing each character of a session token takes a fiftieth of the
 * time of a session check.
 */
export class PlainCookie implements ResponseCookie {
  readonly name: string
  readonly value: string
  readonly options: CookieSerializeOptions

  constructor({ name, value, options }: ResponseCookie) {
    this.name = name
    this.value = value
    this.options = options
  }
}

/** Text that needs no encoding, such as tokens and random ids. */
export const plainCookieText: RegExp = /^[\w.~-]*$/

/** A character other than those and `|`. */
const other = /[^\w.~|-]/

/** Encodes a cookie value as percent-encoded UTF-8. A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD. */
export function encodeCookieValue(value: string): string {
  // The cookie of a form has a `|`, and `encodeURIComponent` takes three times as long.
  return other.test(value) ? encodeURIComponent(value.toWellFormed()) : value.replaceAll("|", "%7C")
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
  const second = Math.floor(Math.min(expires.getTime() / 1000, clock() / 1000 + maxLifetimeSeconds))
  const known = dates.get(second)
  if (known !== undefined) return known
  const text = new Date(second * 1000).toUTCString()
  dates.set(second, text)
  return text
}

/** The texts of seconds. Cookies that are written in the same second expire in a few different ones. */
const dates = new BoundedMap<number, string>(4)

function toLowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value
}

/** Leaves room for a flow id or a chunk number within the 4096 characters that browsers accept for name and value. */
const maxNameLength = 128
const token = /^[\w!#$%&'*+.^`|~-]+$/
const pathText = /^\/[\x20-\x3a\x3c-\x7e]*$/
const domainText = /^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

/**
 * Validates a configured cookie: no characters that end an attribute, no combinations that browsers silently drop.
 * @returns an error message, or null if the cookie is valid.
 */
export function validateCookie(name: string, options: CookieSerializeOptions): string | null {
  return (
    validateCookieName(name) ?? validateCookieAttributes(options) ?? validateCookieSecurity(name.toLowerCase(), options)
  )
}

/** Other sealed values have these names as their salt: a state from a URL would open as a session. */
const reservedName = /^encoded(?:State|WebauthnChallenge)$/

function validateCookieName(name: unknown): string | null {
  if (typeof name !== "string" || !token.test(name)) return "name must be a token of RFC 9110 section 5.6.2"
  if (reservedName.test(name)) return `name ${name} is reserved`
  return name.length > maxNameLength ? `name must have at most ${maxNameLength} characters` : null
}

function validateCookieAttributes({ path, domain, sameSite, priority }: CookieSerializeOptions): string | null {
  if (path !== undefined && !pathText.test(path))
    return "path must start with a slash and have no semicolon or control character"
  // Empty text, as from a missing variable, means no domain, as in `serializeCookie`.
  if (domain && !domainText.test(domain)) return "domain must be a host name"
  if (sameSite !== undefined && sameSite !== false && !sameSites.has(toLowerCase(sameSite))) {
    return "sameSite must be true, false, lax, strict or none"
  }
  if (priority !== undefined && !priorities.has(toLowerCase(priority))) return "priority must be low, medium or high"
  return null
}

function validateCookieSecurity(name: string, options: CookieSerializeOptions): string | null {
  if (name.startsWith("__host-") && !isHostOnly(options)) {
    return "a name with the prefix __Host- needs secure, path / and no domain"
  }
  if (options.secure) return null
  if (name.startsWith("__secure-")) return "a name with the prefix __Secure- needs secure"
  if (toLowerCase(options.sameSite) === "none") return "sameSite none needs secure"
  return options.partitioned ? "partitioned needs secure" : null
}

function isHostOnly({ secure, path, domain }: CookieSerializeOptions): boolean {
  return secure === true && path === "/" && !domain
}

/** A cookie that removes another from the browser: same name and attributes, no value, lifetime 0. */
export function clearedCookie({ name, options }: CookieOption): ResponseCookie {
  const { expires: _, ...kept } = options
  return { name, value: "", options: { ...kept, maxAge: 0 } }
}
