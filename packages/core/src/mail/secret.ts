import { isEqualInConstantTime, macHex, sha256Hex } from "../crypto/hash.js"
import type { AuthRequest } from "../http/request.js"
import type { EmailConfig } from "../types/providers.js"
import type { ResolvedConfig } from "../types/resolved.js"

/** How long a code works, in seconds: OWASP ASVS 5.0, 6.5.5. A link of a shorter life ends its code too. */
export const codeMaxAgeSeconds: number = 10 * 60

/** How long a link of a feature works, in seconds. Email providers say how long theirs work. */
export const linkMaxAgeSeconds: number = 60 * 60

/** Whether a mail scanner or a browser fetches a link ahead of its reader, which must not use the link up. */
export function isPrefetch({ headers }: Pick<AuthRequest, "headers">): boolean {
  return purposeHeaders.some((name) => /prefetch|preview/i.test(headers.get(name) ?? ""))
}

/** The standard one, and what Chromium, Safari and Firefox sent before it. */
const purposeHeaders = ["sec-purpose", "purpose", "x-purpose", "x-moz"]

export type SecretsConfig = Pick<ResolvedConfig, "secrets">
type MailConfig = SecretsConfig & Pick<ResolvedConfig, "providers">

/** Whose email it is: the id of a provider with its own secret, or of a feature. */
export type MailOwner = Pick<EmailConfig, "id" | "secret">

/** The secrets that hash what a provider mails, newest first. */
function secretsOf(provider: MailOwner, { secrets }: SecretsConfig): readonly string[] {
  return provider.secret === undefined ? secrets : [provider.secret]
}

/**
 * The hashes that a sign-in token may be stored under; a new token is stored under the first. With several email
 * providers, a token is bound to the one that sent it, or a code could be guessed at all of them. Otherwise it has the
 * hash of the contract, which links from before a move and the links of a host's own code have too. One of each for each
 * secret, newest first, so that links sent before a rotation still work.
 */
export async function hashToken(token: string, provider: EmailConfig, config: MailConfig): Promise<readonly string[]> {
  const secrets = secretsOf(provider, config)
  const bindTo = JSON.stringify([provider.id, token])
  const bound = secrets.map((secret) => macHex(secret, "email token", bindTo))
  const unbound = secrets.map((secret) => sha256Hex(`${token}${secret}`))
  const isOnly = config.providers.every(({ id, type }) => id === provider.id || type !== "email")
  return Promise.all(isOnly ? [...unbound, ...bound] : [...bound, ...unbound])
}

/** A token in an email. */
export interface MailedToken {
  /** What it is for. Each purpose has its own keys, so a secret for one purpose is worthless for another. */
  readonly purpose: string
  /** The address that it was sent to. */
  readonly identifier: string
  readonly token: string
}

/**
 * The hashes that a token for another purpose than sign-in may be stored under, newest secret first. `state` is what must
 * not have changed when the token is used, such as the stored password.
 */
export function hashPurposeToken(
  { purpose, identifier, token }: MailedToken,
  state: string,
  { secrets }: SecretsConfig,
): Promise<readonly string[]> {
  const text = JSON.stringify([identifier, token, state])
  return Promise.all(secrets.map((secret) => macHex(secret, `mail token: ${purpose}`, text)))
}

const codeCount = 1_000_000

/**
 * The six digits of a mail. They follow from its token and from a key of the service, so that the page behind the link
 * can show them although they are stored nowhere. From 48 bits, the bias of the digits is below one in 2^28.
 */
export async function toCode(mailed: MailedToken, provider: MailOwner, config: SecretsConfig): Promise<string> {
  const { purpose, identifier, token } = mailed
  const [secret = ""] = secretsOf(provider, config)
  const mac = await macHex(secret, `mail code: ${purpose}`, JSON.stringify([provider.id, identifier, token]))
  return String(Number.parseInt(mac.slice(0, 12), 16) % codeCount).padStart(6, "0")
}

/** The keyed hash of a code. `flow` binds it to one mail. */
export async function hashCode(
  code: string,
  flow: string,
  provider: MailOwner,
  config: SecretsConfig,
): Promise<string> {
  const [secret = ""] = secretsOf(provider, config)
  return macHex(secret, codeHashKey, JSON.stringify([flow, code]))
}

const codeHashKey = "mail code hash"

/** Whether the text that a person typed is the code with this hash. Every secret is tried, for codes sent before a rotation. */
export async function isCode(
  typed: string,
  { hash, flow }: { readonly hash: string; readonly flow: string },
  provider: MailOwner,
  config: SecretsConfig,
): Promise<boolean> {
  const code = normalizeCode(typed)
  const hashes = await Promise.all(
    secretsOf(provider, config).map((secret) => macHex(secret, codeHashKey, JSON.stringify([flow, code]))),
  )
  const matches = hashes.filter((own) => isEqualInConstantTime(own, hash))
  return code !== null && matches.length > 0
}

/** Characters of what a person may type around six digits. */
const maxTypedLength = 40

/** Blanks, dashes and invisible characters. A text: an engine looks up the characters of a literal when it reads this file. */
const between = String.raw`[\s\p{Pd}\p{Cf}]`

/**
 * Six ASCII digits, or null. Blanks and dashes between them go, and digits of another width are read as digits: phones
 * and keyboards for Chinese and Japanese write both.
 */
export function normalizeCode(typed: string): string | null {
  if (typed.length > maxTypedLength) return null
  const digits = typed.normalize("NFKC").replace(new RegExp(between, "gu"), "")
  return /^[0-9]{6}$/.test(digits) ? digits : null
}
