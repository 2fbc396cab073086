import { InvalidRequest } from "../../errors/errors.js"
import { fromBase64, isEqual, toBase64 } from "../../methods/password/format.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import type { CodeFactor } from "./factor.js"

/** Codes for users who have lost their other factor. */
export interface RecoveryFactor extends CodeFactor {
  readonly kind: "recovery"
  /** A new set: the codes to show once, and what to store of them. */
  createSet(): Promise<RecoverySet>
  /** What to store of codes that another system created. @throws InvalidRequest for codes that cannot be used here */
  importSet(codes: readonly string[]): Promise<string>
}

export interface RecoverySet {
  readonly codes: readonly string[]
  readonly secret: string
}

const count = 10
/** Characters of 5 bits: 60 bits. */
const length = 12
/** RFC 4648 section 6. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
/** Digits that the alphabet lacks, as the letters that people mistake for them. */
const lookalikes: Readonly<Record<string, string>> = { "0": "O", "1": "I", "8": "B" }

/**
 * Ten codes of twelve characters, each accepted once. Stored as digests, keyed and sealed: who has the database alone
 * learns nothing, and who also has the secret of the service could read the keys of authenticator apps.
 */
export function recoveryCodes(): RecoveryFactor {
  return Object.freeze<RecoveryFactor>({
    kind: "recovery",
    method: "rcv",
    normalize(typed) {
      const code = fold(typed)
      return /^[A-Z2-7]{12}$/.test(code) ? code : null
    },
    normalizeFor(typed, secret) {
      const code = fold(typed)
      return parseSet(secret).lengths?.includes(code.length) && isPrintable.test(code) ? code : null
    },
    async accept(code, { secret }) {
      const set = parseSet(secret)
      const hash = await hashWith(set, code)
      const left = set.hashes.filter((each) => !isEqual(fromBase64(each), hash))
      return left.length === set.hashes.length ? null : { secret: formatSet({ ...set, hashes: left }) }
    },
    async createSet() {
      const plain = Array.from({ length: count }, createCode)
      return { codes: plain.map(toReadable), secret: formatSet(await hashAll(plain), true) }
    },
    async importSet(codes) {
      const folded = readImported(codes)
      return formatSet({ ...(await hashAll(folded)), lengths: [...new Set(folded.map((code) => code.length))] })
    },
  })
}

/** A code as it is compared: without what makes it readable, so that it does not matter how its user types that. */
function fold(code: string): string {
  const plain = code.normalize("NFKC").toUpperCase().replace(/[\s-]/g, "")
  return plain.replace(/[018]/g, (digit) => lookalikes[digit] ?? digit)
}

const isPrintable = /^[!-~]+$/

/** Eight decimal digits are 26 bits: enough behind a few guesses, NIST SP 800-63B section 3.1.2.2. */
const importedLengths = { least: 8, most: 64 } as const
const mostImported = 50

/** @throws InvalidRequest for codes that are too short or too long, too many, or the same */
function readImported(codes: readonly string[]): readonly string[] {
  if (!Array.isArray(codes) || codes.length === 0 || codes.length > mostImported) {
    throw new InvalidRequest(`codes: must be a list of 1 to ${mostImported} recovery codes`)
  }
  const { least, most } = importedLengths
  // The longer text is not even folded.
  const folded = codes.map((code) => (typeof code === "string" && code.length <= most ? fold(code) : ""))
  if (!folded.every((code) => code.length >= least && isPrintable.test(code))) {
    throw new InvalidRequest(
      `codes: each must be text of ${least} to ${most} printable ASCII characters. Spaces and hyphens do not count`,
    )
  }
  if (new Set(folded).size === folded.length) return folded
  throw new InvalidRequest("codes: two are the same. Upper and lower case, 0 and O, 1 and I, 8 and B count as the same")
}

/** Whether the user has neither said that the codes of an opened set are saved nor used one of them. */
export function isUnsaved(secret: string): boolean {
  const value = parseJson(secret)
  return isRecord(value) && value["unsaved"] === true
}

/** The opened set once its user has saved the codes. */
export function toSaved(secret: string): string {
  return formatSet(parseSet(secret))
}

/** How many codes of an opened set are left. */
export function countLeft(secret: string): number {
  return parseSet(secret).hashes.length
}

/** Each byte gives five bits without a bias: 256 is a multiple of 32. */
function createCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
}

function toReadable(code: string): string {
  return code.replace(/(.{4})(?=.)/g, "$1-")
}

interface Hashed {
  /** In base64. */
  readonly hashes: readonly string[]
  /** The lengths of codes that another system created. Undefined for our own. */
  readonly lengths?: readonly number[] | undefined
}

/** A stored set: HMACs under a key of its own, or the Argon2id hashes of an earlier version. */
type StoredSet = Hashed & ({ readonly key: Uint8Array<ArrayBuffer> } | { readonly salt: Uint8Array })

/** Under a new key. */
async function hashAll(codes: readonly string[]): Promise<StoredSet> {
  const key = crypto.getRandomValues(new Uint8Array(32))
  return { key, hashes: await Promise.all(codes.map(async (code) => toBase64(await digest(code, key)))) }
}

async function hashWith(set: StoredSet, code: string): Promise<Uint8Array> {
  if ("key" in set) return digest(code, set.key)
  const { hashFormerCode } = await import("./former-codes.js")
  return hashFormerCode(code, set.salt)
}

/** HMAC-SHA-256. */
async function digest(code: string, key: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(code)))
}

/** @param unsaved Whether the page with the codes may be shown again. Default: no. */
function formatSet({ hashes, lengths, ...set }: StoredSet, unsaved?: true): string {
  const [name, bytes] = "key" in set ? ["key", set.key] : ["salt", set.salt]
  return JSON.stringify({ [name]: toBase64(bytes), hashes, lengths, unsaved })
}

function parseSet(text: string): StoredSet {
  const value = parseJson(text)
  const { key, salt, hashes: listed, lengths: given }: Readonly<Record<string, unknown>> = isRecord(value) ? value : {}
  const hashes = Array.isArray(listed) ? listed.filter((hash) => typeof hash === "string") : null
  const lengths = Array.isArray(given) ? given.filter((length) => typeof length === "number") : undefined
  if (hashes && typeof key === "string") return { key: new Uint8Array(fromBase64(key)), hashes, lengths }
  if (hashes && typeof salt === "string") return { salt: fromBase64(salt), hashes }
  throw new TypeError("A set of recovery codes is malformed")
}
