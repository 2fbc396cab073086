import type { CredentialsConfig } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"

/** The account that an attempt names. */
export interface AccountName {
  /** Normalized, for counting failures: spellings that a host may treat as one account are the same. */
  readonly counted: string
  /** As typed, with its purpose, for remembering successes: another user may own a similar name. */
  readonly exact: string
}

/** Fields that usually name an account. */
const usualFields = ["username", "email", "login", "user", "identifier", "phone"] as const

/** Input types that never hold a name. */
const otherTypes: ReadonlySet<string> = new Set([
  "password",
  "hidden",
  "checkbox",
  "radio",
  "submit",
  "button",
  "image",
])

/** Characters. The rest of a name is ignored. */
const maxLength = 256

/**
 * The accounts that a form may name: from each usual field that the provider declares, else from its first declared text
 * field; from all usual fields if it declares none. Several, because only the host knows which one it uses, and an
 * attacker could add another to hide it.
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

/** The mailbox of an address: all its subaddresses, after a plus sign, count as one (RFC 5233). */
export function toMailboxName(address: string): AccountName {
  const { counted } = toAccountName(address.replace(/^([^+@]*)\+[^@]*@/, "$1@"), "mail")
  return { counted, exact: `mail ${address}` }
}

/**
 * Ignores case, accents, spaces and invisible characters, or each spelling of a name would give an attacker another
 * budget. If the host distinguishes such names, two users share one, which does little harm.
 */
export function toAccountName(text: string, purpose: string): AccountName {
  // Truncated last, so that ignored characters cannot push the name out.
  const counted = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{C}\p{Z}]/gu, "")
    .toLowerCase()
    .slice(0, maxLength)
  return { counted, exact: `${purpose} ${text}` }
}

/** The same text that `String(value)` in the host's code would give. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  try {
    return String(value)
  } catch {
    return "" // An object that cannot be converted, by the host either.
  }
}
