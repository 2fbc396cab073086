import { derive } from "../../methods/password/argon2id.js"
import { fromBase64, isEqual, toBase64 } from "../../methods/password/format.js"
import { isRecord, parseJson } from "../../runtime/json.js"
import type { CodeFactor } from "./factor.js"

/** Codes for users who have lost their other factor. */
export interface RecoveryFactor extends CodeFactor {
  readonly kind: "recovery"
  /** A new set: the codes to show once, and what to store of them. */
  createSet(): Promise<RecoverySet>
}

interface RecoverySet {
  readonly codes: readonly string[]
  readonly secret: string
}

const count = 10
/** Characters of 5 bits: 60 bits. OWASP ASVS 6.5.2 requires a password hash below 112. */
const length = 12
/** RFC 4648 section 6. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
/** Digits that the alphabet lacks, as the letters that people mistake for them. */
const lookalikes: Readonly<Record<string, string>> = { "0": "O", "1": "I", "8": "B" }

/** One salt for each set, so that a typed code is hashed once. The least costs of OWASP's Password Storage Cheat Sheet. */
const costs = { m: 19_456, t: 2, p: 1, length: 32 } as const

/**
 * Ten codes of twelve characters, each accepted once. Stored as Argon2id hashes, for which the platform needs Node 24.7 or
 * later, or the package `@node-rs/argon2`.
 */
export function recoveryCodes(): RecoveryFactor {
  return Object.freeze<RecoveryFactor>({
    kind: "recovery",
    method: "rcv",
    normalize(typed) {
      const plain = typed.toUpperCase().replace(/[\s-]/g, "")
      const code = plain.replace(/[018]/g, (digit) => lookalikes[digit] ?? digit)
      return /^[A-Z2-7]{12}$/.test(code) ? code : null
    },
    async accept(code, { secret }) {
      const { salt, hashes } = parseSet(secret)
      const hash = await hashCode(code, salt)
      const left = hashes.filter((each) => !isEqual(fromBase64(each), hash))
      return left.length === hashes.length ? null : { secret: formatSet({ salt, hashes: left }) }
    },
    async createSet() {
      const salt = crypto.getRandomValues(new Uint8Array(16))
      const plain = Array.from({ length: count }, createCode)
      const hashes = []
      // One after another: each hash takes 19 MiB.
      for (const code of plain) hashes.push(toBase64(await hashCode(code, salt)))
      return { codes: plain.map(toReadable), secret: formatSet({ salt, hashes }) }
    },
  })
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

async function hashCode(code: string, salt: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await derive({ ...costs, password: new TextEncoder().encode(code), salt }))
}

interface HashedSet {
  readonly salt: Uint8Array
  /** In base64. */
  readonly hashes: readonly string[]
}

function formatSet({ salt, hashes }: HashedSet): string {
  return JSON.stringify({ salt: toBase64(salt), hashes })
}

function parseSet(text: string): HashedSet {
  const { salt, hashes }: Readonly<Record<string, unknown>> = toRecord(parseJson(text))
  if (typeof salt !== "string" || !Array.isArray(hashes)) throw new TypeError("A set of recovery codes is malformed")
  return { salt: fromBase64(salt), hashes: hashes.filter((hash) => typeof hash === "string") }
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
