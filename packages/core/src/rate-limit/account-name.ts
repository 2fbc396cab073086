import type { CredentialsConfig } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"

/** Whom an attempt is about. */
export interface AccountName {
  /** Whose failures are counted: spellings that some host takes for one name are one. */
  readonly counted: string
  /** Who succeeded before: exactly what was typed, and what for. Others may own a name that is spelt alike. */
  readonly exact: string
}

/** Fields that name an account, whatever else a form has. */
const usualFields = ["username", "email", "login", "user", "identifier", "phone"] as const

/** Types of inputs that hold no name. */
const otherTypes: ReadonlySet<string> = new Set([
  "password",
  "hidden",
  "checkbox",
  "radio",
  "submit",
  "button",
  "image",
])

/** Characters of a name that are counted by. */
const maxLength = 256

/**
 * The accounts that a form may be about: each usual field, of those that the provider declares if it declares any, else
 * the first declared one. Which of several the host looks at nobody else knows, and a made-up one must not hide the
 * other.
 */
export function findAccountNames(
  credentials: Readonly<Record<string, unknown>>,
  { id, credentials: declared }: Pick<CredentialsConfig, "id" | "credentials">,
  accountOf?: RateLimitOptions["accountOf"],
): readonly AccountName[] {
  const values = accountOf ? [accountOf(credentials)] : findFields(declared ?? {}).map((field) => credentials[field])
  const names = values.map((value) => toAccountName(toText(value), `password ${id}`))
  return names.filter(({ counted }, index) => {
    return counted !== "" && index === names.findIndex((other) => other.counted === counted)
  })
}

function findFields(declared: NonNullable<CredentialsConfig["credentials"]>): readonly string[] {
  const names = Object.entries(declared)
    .filter(([, { type }]) => !otherTypes.has(type ?? "text"))
    .map(([name]) => name)
  if (names.length === 0) return usualFields
  const usual = usualFields.filter((field) => names.includes(field))
  return usual.length > 0 ? usual : names.slice(0, 1)
}

/** The mailbox that an address leads to: what stands behind a plus sign is its owner's choice (RFC 5233). */
export function toMailboxName(address: string): AccountName {
  const { counted } = toAccountName(address.replace(/^([^+@]*)\+[^@]*@/, "$1@"), "mail")
  return { counted, exact: `mail ${address}` }
}

/**
 * Counted without case, accents, blanks and invisible characters. A host that tells such names apart only lets two
 * people share a budget; for one that does not, a guesser would have as many budgets as there are spellings.
 */
export function toAccountName(text: string, purpose: string): AccountName {
  // Cut last: whatever is taken out would otherwise push the name out of what is counted.
  const counted = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{C}\p{Z}]/gu, "")
    .toLowerCase()
    .slice(0, maxLength)
  return { counted, exact: `${purpose} ${text}` }
}

/** Of a list as of any value the text that a host's `String(value)` would make of it. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  try {
    return String(value)
  } catch {
    return "" // An object of which no text can be made, by the host neither.
  }
}
