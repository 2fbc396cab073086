import { accountFields, allAccountFields } from "../host/account-fields.js"
import { normalizeEmailAddress } from "../host/email-address.js"
import type { CredentialsConfig } from "../types/providers.js"

/**
 * The account that an attempt names. Each text begins with its kind, so that a name that is typed never counts for the
 * mailbox or the user with the same text as its address or id.
 */
export interface AccountName {
  /** What failures count for: every form in which the name may be looked up. */
  readonly counted: readonly string[]
  /** As typed, with its purpose, for remembering successes: another user may own a similar name. */
  readonly exact: string
}

type Kind = "name" | "mailbox" | "repeat" | "token" | "user"

const toKey = (kind: Kind, ...parts: readonly string[]): string => JSON.stringify([kind, ...parts])

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

/** Names of fields with a secret: each guess would count as an account of its own. */
const secretField = /pass|pin|secret|code|otp|token|answer/i

/** Characters. The rest of a name is ignored. */
const maxNameLength = 256

/**
 * The accounts that a form may name: from each usual field that the provider declares, else from its first declared text
 * field; from all usual fields if it declares none, or its own were not sent. Several, because only the host knows which
 * one it uses, and an attacker could add another to hide it.
 * @param account What `accountOf` of the app returned; "" for no account. Undefined without that option.
 */
export function findAccountNames(
  credentials: Readonly<Record<string, unknown>>,
  { id, credentials: declared }: Pick<CredentialsConfig, "id" | "credentials">,
  account?: string,
): readonly AccountName[] {
  const toNames = (values: readonly unknown[]) => {
    const texts = values.map(toText).filter((text) => fold(text) !== "")
    const names = texts.map((text) => toTypedName(text, id))
    return names.filter(({ counted: [first] }, index) => {
      return index === names.findIndex((other) => other.counted[0] === first)
    })
  }
  if (account !== undefined) return toNames([account])
  const own = toNames(findFields(declared ?? {}).map((field) => credentials[field]))
  return own.length > 0 ? own : toNames(allAccountFields.map((field) => credentials[field]))
}

/** The declared fields that name an account. */
export function findFields(declared: NonNullable<CredentialsConfig["credentials"]>): readonly string[] {
  const names = Object.entries(declared)
    .filter(([name, { type }]) => !otherTypes.has(type ?? "text") && !secretField.test(name))
    .map(([name]) => name)
  const usual = accountFields.filter((field) => names.includes(field))
  return usual.length > 0 ? usual : names.slice(0, 1)
}

/** A name typed into a form that asks for a password. All providers share its budget: they may check the same password. */
function toTypedName(text: string, provider: string): AccountName {
  return { counted: toForms(text).map((form) => toKey("name", form)), exact: toKey("name", provider, text) }
}

/** The mailbox of an address: all its subaddresses, after a plus sign, count as one (RFC 5233). */
export function toMailboxName(address: string): AccountName {
  return { counted: toMailboxes(address).map((form) => toKey("mailbox", form)), exact: toKey("mailbox", address) }
}

/** Where tokens and codes of one provider are sent. Another provider's differ, so each has its own count. */
export function toTokenName(provider: string, address: string): AccountName {
  const { exact } = toMailboxName(address)
  return { counted: toMailboxes(address).map((form) => toKey("token", provider, form)), exact }
}

/** The emails of one provider to one address, whose repetitions count. Known on the networks where its mailbox is. */
export function toRepeatName(provider: string, address: string): AccountName {
  return {
    counted: toForms(address).map((form) => toKey("repeat", provider, form)),
    exact: toMailboxName(address).exact,
  }
}

/** A user whose secret of this kind is guessed. Exact: no visitor types the id. */
export function toUserName(secret: string, userId: string): AccountName {
  const key = toKey("user", secret, userId)
  return { counted: [key], exact: key }
}

/** Stands for the user whom an app did not find by these names, so that as much is counted for them. */
export function toUnknownName(secret: string, names: readonly AccountName[]): AccountName {
  const key = toKey("user", secret, "unknown", ...names.flatMap(({ counted }) => counted))
  return { counted: [key], exact: key }
}

function toMailboxes(address: string): readonly string[] {
  return unique(toForms(address).map((form) => form.replace(/^([^+@]*)\+[^@]*@/, "$1@")))
}

/**
 * The forms in which a host may look a text up: without what databases ignore, and as the address that the domain's
 * normalization makes of it. Spellings that are one account for the host have a form in common.
 */
function toForms(text: string): readonly string[] {
  return unique([fold(text), ...findAddress(text)])
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]

/** The normalized address, or nothing if the text is not an email address. */
function findAddress(text: string): readonly string[] {
  try {
    return text.includes("@") ? [normalizeEmailAddress(text)] : []
  } catch {
    return []
  }
}

// Texts: an engine looks up the characters of a literal when it reads this file.
const ignored = String.raw`[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]`
const numeric = String.raw`^[\p{N}\p{P}\p{S}]+$`
const digit = String.raw`\p{Nd}`
const otherDigit = String.raw`(?![0-9])\p{Nd}`

/**
 * Ignores case, accents, spaces and invisible characters, the script of digits, and how a phone number is grouped, or each
 * spelling of a name would give an attacker another budget. If the host distinguishes such names, two users share one,
 * which does little harm.
 * @internal Exported for its tests.
 */
export function fold(text: string): string {
  const folded = text
    .normalize("NFKD")
    // Some letters are invisible, such as the Hangul fillers, which URL parsers drop from domains.
    .replace(new RegExp(ignored, "gu"), "")
    // First to upper case, where letters with several small forms are one.
    .toUpperCase()
    .toLowerCase()
    .replace(new RegExp(otherDigit, "gu"), toAsciiDigit)
    .replaceAll("\u3002", ".")
  const isNumber = new RegExp(numeric, "u").test(folded) && /[0-9]/.test(folded)
  // Truncated last, so that ignored characters cannot push the name out.
  return (isNumber ? folded.replace(/[^0-9]/g, "") : folded).slice(0, maxNameLength)
}

/** In every script the digits from 0 to 9 follow one another. */
function toAsciiDigit(found: string): string {
  const code = found.codePointAt(0) ?? 0
  let zero = code
  while (new RegExp(digit, "u").test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((code - zero) % 10)
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
