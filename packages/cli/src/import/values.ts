/** Text of a column or a member. Numbers and UUIDs are ids in many tables. Null for everything else. */
export function toText(value: unknown): string | null {
  if (typeof value === "string") return value
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null
}

/** Text that says something. */
export function toFilledText(value: unknown): string | null {
  return toText(value)?.trim() ? toText(value) : null
}

/** Whether there is a value of any kind. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ""
}

/** What databases and their dumps have for true. */
export function isTrue(value: unknown): boolean {
  return (
    value === true || value === 1 || value === 1n || (typeof value === "string" && /^(?:1|t|true|yes)$/i.test(value))
  )
}

/** Larger numbers count milliseconds. As seconds, it is in the year 5138. */
const mostSeconds = 100_000_000_000

/** A date, seconds or milliseconds since 1970, or ISO 8601, in UTC if it names no zone. Null for everything else. */
export function toDate(value: unknown): Date | null {
  if (value instanceof Date) return toValid(value)
  if (typeof value === "bigint") return toDate(Number(value))
  if (typeof value === "number") return toValid(new Date(Math.abs(value) < mostSeconds ? value * 1000 : value))
  if (typeof value !== "string") return null
  if (/^-?\d{1,17}(?:\.\d{1,9})?$/.test(value)) return toDate(Number(value))
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s?(?:(Z|UTC)|([+-]\d\d):?(\d\d)?(?::\d\d)?)?)?$/i.exec(
      value,
    )
  if (!parts) return null
  const [, day, time = "00:00:00", fraction = "", , hours, minutes = "00"] = parts
  return toValid(new Date(`${day}T${time}${fraction.slice(0, 4)}${hours === undefined ? "Z" : `${hours}:${minutes}`}`))
}

function toValid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date
}

/** When an address was verified, in a column that is a date in some apps, and a yes or no in others. */
export function toVerified(value: unknown, createdAt: unknown): Date | null {
  if (isTrue(value)) return toDate(createdAt) ?? new Date()
  return toText(value) === "0" ? null : toDate(value)
}

/** A JSON object, or null. Databases give the text of a JSON column, or what is in it. */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  const found = typeof value === "string" ? parseJson(value) : value
  if (typeof found !== "object" || found === null || Array.isArray(found) || found instanceof Date) return null
  return found as Readonly<Record<string, unknown>> // as: an object of JSON, whose members are unknown
}

/** A list, or an empty one. */
export function toList(value: unknown): readonly unknown[] {
  const found = typeof value === "string" ? parseJson(value) : value
  return Array.isArray(found) ? found : []
}

/** The objects of a list. */
export function toObjects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return toList(value)
    .map(toObject)
    .filter((found) => found !== null)
}

/** Undefined if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The message of the parser would quote the text.
  }
}

/** A member of an object of JSON, and never one of its prototype. */
export function getOwn(object: Readonly<Record<string, unknown>> | null, name: string): unknown {
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined
}

/** Claims of a token that a source stored. They are not verified: they are as true as the row. */
export function readClaims(token: unknown): Readonly<Record<string, unknown>> | null {
  const [, payload] = typeof token === "string" ? token.split(".") : []
  return payload === undefined ? null : toObject(Buffer.from(payload, "base64url").toString("utf8"))
}

/**
 * Whether an ID of a Microsoft user is the subject of an ID token, which is what our provider finds users by: 43 characters
 * that differ between apps. Others are object IDs of a tenant (UUIDs) or of a personal account (16 hexadecimal digits).
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export function isMicrosoftSubject(id: string): boolean {
  return /^[\w-]{40,50}$/.test(id) && !/^[\da-f]{8}-/i.test(id)
}

/** Reported for an account that was stored under an ID other than the subject. */
export const toLeftAccount = (provider: string): string =>
  `The ${provider} account: it is stored under an ID that cannot be used here, so the user has to link it again`
