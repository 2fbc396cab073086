/** An object of JSON, such as the claims of a token. */
export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a text must have for a member with one of these names: the name, or an escape. */
const prototypes = /__proto__|constructor|prototype|\\u/

/** Parses JSON without members that code could merge into a prototype. Undefined if the text is not JSON. */
export function parseJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    if (!prototypes.test(text)) return JSON.parse(text)
    return JSON.parse(text, (name, value: unknown) =>
      name === "__proto__" || ((name === "constructor" || name === "prototype") && isFields(value)) ? undefined : value,
    )
  } catch {
    return undefined
  }
}

/** Null unless the text is an object. */
export function parseFields(text: string | null): Fields | null {
  const value = parseJson(text)
  return isFields(value) ? value : null
}

export function readFields(value: unknown, name: string): Fields {
  const inner = isFields(value) ? value[name] : undefined
  return isFields(inner) ? inner : {}
}

export function readText(value: unknown, name: string): string | undefined {
  const inner = isFields(value) ? value[name] : undefined
  return typeof inner === "string" ? inner : undefined
}

/**
 * A time as libraries and drivers have it: a date, its text, in UTC if it names no zone, or a number of seconds or milliseconds.
 * Undefined if it is none.
 */
export function toDate(value: unknown): Date | undefined {
  if (value instanceof Date) return Number.isNaN(value.valueOf()) ? undefined : value
  if (typeof value === "string") return toDate(new Date(value.replace(/^([\d-]{10})[ T]([\d:.]+)$/, "$1T$2Z")))
  if (typeof value !== "number") return undefined
  // Seconds until the year 5138, milliseconds from 1973 on.
  const date = new Date(Math.abs(value) < 1e11 ? value * 1000 : value)
  return Number.isNaN(date.valueOf()) ? undefined : date
}

/** An expiry that must be there. One that cannot be read is over. */
export function toExpiry(value: unknown): Date {
  return toDate(value) ?? new Date(0)
}

/** The parts of a user that a session shows. Passport's profiles have a `displayName`, and apps without addresses a `username`. */
export function toUser(claims: Fields): { name?: string; email?: string; image?: string } {
  const name = findText(claims, ["name", "displayName", "username"])
  const email = findText(claims, ["email"])
  const image = findText(claims, ["image", "picture"])
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(image !== undefined && { image }),
  }
}

function findText(claims: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => readText(claims, name)).find((text) => text !== undefined)
}
