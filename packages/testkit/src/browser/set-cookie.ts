/** The value of a cookie's `SameSite` attribute. */
export type SameSite = "Strict" | "Lax" | "None"

/** A parsed `Set-Cookie` header, before the storage rules apply. */
export interface SetCookie {
  readonly name: string
  /** As on the wire, percent-encoding included. */
  readonly value: string
  /** Lowercase, without the leading dot. Empty when absent. */
  readonly domain: string
  /** Empty when absent or without a leading slash. */
  readonly path: string
  readonly isSecure: boolean
  readonly isHttpOnly: boolean
  /** `Lax` if the attribute is absent or unknown. */
  readonly sameSite: SameSite
  readonly maxAgeSeconds: number | undefined
  readonly expires: Date | undefined
}

interface Attributes {
  domain: string
  path: string
  isSecure: boolean
  isHttpOnly: boolean
  sameSite: SameSite
  maxAgeSeconds: number | undefined
  expires: Date | undefined
}

const attributeReaders: ReadonlyMap<string, (value: string) => Partial<Attributes>> = new Map([
  ["domain", (value: string): Partial<Attributes> => ({ domain: value.replace(/^\./, "").toLowerCase() })],
  ["path", (value): Partial<Attributes> => ({ path: value.startsWith("/") ? value : "" })],
  ["secure", (): Partial<Attributes> => ({ isSecure: true })],
  ["httponly", (): Partial<Attributes> => ({ isHttpOnly: true })],
  ["samesite", (value): Partial<Attributes> => ({ sameSite: toSameSite(value) })],
  ["max-age", (value): Partial<Attributes> => (/^-?\d+$/.test(value) ? { maxAgeSeconds: Number(value) } : {})],
  ["expires", readExpires],
])

const longestAttributeBytes = 1024

/** Parses one header, RFC 6265bis section 5.6. Null if a browser ignores the whole header. */
export function parseSetCookie(header: string): SetCookie | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 6265bis section 5.6 step 1 drops headers with these
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(header)) return null
  const [pair = "", ...rest] = header.split(";")
  const equals = pair.indexOf("=")
  const name = trimWhitespace(pair.slice(0, Math.max(equals, 0)))
  const value = trimWhitespace(pair.slice(equals + 1))
  if (name === "" && value === "") return null
  return { name, value, ...readAttributes(rest) }
}

function readAttributes(parts: readonly string[]): Attributes {
  const attributes: Attributes = {
    domain: "",
    path: "",
    isSecure: false,
    isHttpOnly: false,
    sameSite: "Lax",
    maxAgeSeconds: undefined,
    expires: undefined,
  }
  for (const part of parts) {
    const equals = part.indexOf("=")
    const name = trimWhitespace(equals < 0 ? part : part.slice(0, equals)).toLowerCase()
    const value = equals < 0 ? "" : trimWhitespace(part.slice(equals + 1))
    if (value.length <= longestAttributeBytes) Object.assign(attributes, attributeReaders.get(name)?.(value))
  }
  return attributes
}

function readExpires(value: string): Partial<Attributes> {
  const expires = parseCookieDate(value)
  return expires ? { expires } : {}
}

function toSameSite(value: string): SameSite {
  const word = value.toLowerCase()
  if (word === "none") return "None"
  return word === "strict" ? "Strict" : "Lax"
}

function trimWhitespace(text: string): string {
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "")
}

const delimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

interface DateParts {
  time?: readonly [number, number, number]
  day?: number
  month?: number
  year?: number
}

/**
 * Parses the value of `Expires` as leniently as browsers do, RFC 6265bis section 5.1.1. Undefined for an invalid date.
 * @internal Exported for its tests.
 */
export function parseCookieDate(text: string): Date | undefined {
  const found: DateParts = {}
  for (const token of text.split(delimiters)) readToken(token, found)
  const { time, day, month, year } = found
  if (!time || day === undefined || month === undefined || year === undefined) return undefined
  return toDate(time, day, month, fullYear(year))
}

function readToken(token: string, found: DateParts): void {
  const time = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?$/.exec(token)
  if (!found.time && time) {
    found.time = [Number(time[1]), Number(time[2]), Number(time[3])]
    return
  }
  const number = /^(\d{1,4})(?:\D.*)?$/.exec(token)?.[1]
  if (found.day === undefined && number && number.length <= 2) {
    found.day = Number(number)
    return
  }
  const month = months.indexOf(token.slice(0, 3).toLowerCase())
  if (found.month === undefined && month >= 0) {
    found.month = month
    return
  }
  if (found.year === undefined && number && number.length >= 2) found.year = Number(number)
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1900
  return year <= 69 ? year + 2000 : year
}

function toDate(time: readonly [number, number, number], day: number, month: number, year: number): Date | undefined {
  const [hour, minute, second] = time
  if (year < 1601 || hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(Date.UTC(year, month, day, hour, minute, second))
  return date.getUTCDate() === day && date.getUTCMonth() === month ? date : undefined
}
