/** The text of an id from the host's code or database. Empty if the value does not identify anything. */
export function toIdText(id: unknown): string {
  if (typeof id === "string" || typeof id === "bigint" || Number.isFinite(id)) return String(id)
  // The text of bytes is lossy, so two ids could become one.
  if (typeof id !== "object" || id === null || Array.isArray(id) || ArrayBuffer.isView(id)) return ""
  // Every object without a conversion of its own has the same text.
  const isConvertible = typeof id.toString === "function" && id.toString !== Object.prototype.toString
  return isConvertible ? String(id) : ""
}

/** Whether two ids are the same. Some stores return a new object for each, such as an `ObjectId`. */
export function isSameId(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const text = toIdText(one)
  return text !== "" && text === toIdText(other)
}

/** Characters, as for the subject in OpenID Connect Core 1.0 section 2. */
export const maxTextLength = 255

/**
 * Whether a value can identify a provider's session or user. Databases refuse other texts, cut long ones or end them at
 * control characters, and would then find other sessions.
 */
export function isShortText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxTextLength && !/[\p{Cc}\p{Cs}]/u.test(value)
}
