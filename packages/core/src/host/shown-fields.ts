/**
 * Fields of records that tell what was done and nothing of a person or a secret. Every other one is withheld, whatever
 * it is called: hosts have fields of their own.
 */
const shownFields: ReadonlySet<string> = new Set([
  "counter",
  "credentialBackedUp",
  "credentialDeviceType",
  "emailVerified",
  "expires",
  "expires_at",
  "id",
  "lastUsedAt",
  "provider",
  "token_type",
  "type",
  "userId",
])

const withheld = "[withheld]"

/**
 * What an adapter is called with, as a log may hold it: each field by its name. What has no name, such as a session's
 * token, is withheld.
 */
export function showArguments(values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => (isRecord(value) ? showFields(value) : withheld))
}

/** The texts of the arguments that a log must not hold. */
export function listWithheldTexts(values: readonly unknown[]): readonly string[] {
  const hidden = values.flatMap((value) => {
    if (!isRecord(value)) return [value]
    return Object.entries(value).flatMap(([name, field]) => (shownFields.has(name) ? [] : [field]))
  })
  return hidden.filter((value) => typeof value === "string")
}

/** A text with every occurrence of the given ones taken out. */
export function withhold(text: string, texts: readonly string[]): string {
  return texts.reduce((shown, each) => shown.replaceAll(each, withheld), text)
}

function showFields(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(record).map(([name, value]) => [name, shownFields.has(name) ? value : withheld])
  return Object.fromEntries(shown)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(value instanceof Date) && !Array.isArray(value)
}
