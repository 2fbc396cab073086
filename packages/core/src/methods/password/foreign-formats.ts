import { fromHex, toHex } from "../../crypto/encoding.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import {
  findNodeCrypto,
  fromBase64,
  isEqual,
  type PasswordFormat,
  PasswordFormatError,
  parsePhc,
  readCost,
} from "./format.js"

/** Bytes of memory that one verification may take: twice those of OWASP's Password Storage Cheat Sheet. */
const maxMemory = 256 * 1024 * 1024
/** N times r times p: eight times those of the same. */
const maxWork = 2 ** 23

interface ScryptCosts {
  /** The cost factor N, a power of two. */
  readonly n: number
  readonly r: number
  readonly p: number
  readonly length: number
}

/** A format whose hashes are read before the work begins. */
interface ParsedFormat<Hash> {
  readonly name: string
  accepts(stored: string): boolean
  /** @throws PasswordFormatError when the hash is malformed, or its costs are over the limits */
  parse(stored: string): Hash
  isRight(hash: Hash, password: Uint8Array): Promise<boolean>
}

function createFormat<Hash>({ name, accepts, parse, isRight }: ParsedFormat<Hash>): PasswordFormat {
  return {
    name,
    accepts,
    verify: async (stored, password) => isRight(parse(stored), password),
    assertVerifiable: (stored) => void parse(stored),
  }
}

/** The groups of a pattern. */
function match(pattern: RegExp, stored: string): readonly (string | undefined)[] {
  const found = pattern.exec(stored)
  if (found) return found
  throw new PasswordFormatError("A stored password hash is malformed")
}

function assertCosts({ n, r, p }: ScryptCosts): void {
  // RFC 7914 section 2: 128 * N * r bytes.
  if (128 * n * r > maxMemory) throw new PasswordFormatError("A stored password hash needs more than 256 MiB")
  if (n * r * p > maxWork) throw new PasswordFormatError("A stored password hash costs more than it may")
}

async function scryptKey(
  password: Uint8Array,
  salt: Uint8Array,
  { n, r, p, length }: ScryptCosts,
): Promise<Uint8Array> {
  const node = findNodeCrypto()
  if (!node) throw new InvalidConfiguration("scrypt: this platform has none. Verify these passwords elsewhere")
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r }
    node.scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Scrypt, RFC 7914, as `$scrypt$ln=17,r=8,p=1$salt$hash`. */
export function scrypt(): PasswordFormat {
  return createFormat({
    name: "scrypt",
    accepts: (stored) => stored.startsWith("$scrypt$"),
    parse(stored) {
      const parsed = parsePhc(stored)
      if (parsed?.id !== "scrypt") throw new PasswordFormatError("A stored password hash is not a scrypt hash")
      const { salt, hash } = parsed
      const n = 2 ** readCost(parsed, "ln", [1, 20])
      const costs = { n, r: readCost(parsed, "r", [1, 32]), p: readCost(parsed, "p", [1, 16]), length: hash.length }
      assertCosts(costs)
      return { salt, hash, costs }
    },
    isRight: async ({ salt, hash, costs }, password) => isEqual(await scryptKey(password, salt, costs), hash),
  })
}

/** The hashes of Better Auth: `salt:hash` in hexadecimal, scrypt with N = 2^14, r = 16, p = 1 over the text of the salt. */
export function betterAuth(): PasswordFormat {
  const format = /^([\da-f]{32}):([\da-f]{128})$/
  return createFormat({
    name: "better-auth",
    accepts: (stored) => format.test(stored),
    parse: (stored) => match(format, stored),
    isRight: ([, salt = "", hash = ""], password) => isTextOf(toNfkc(password), { salt, hash, r: 16 }),
  })
}

/**
 * The hashes of Lucia, of all versions: `salt:hash` as version 3 writes them, `s2:salt:hash` of versions 0.2 to 2 and of
 * `LegacyScrypt`, and `salt:hash` with a salt of 16 characters and r = 8 of the first ones.
 */
export function lucia(): PasswordFormat {
  const format = /^(?:(s2):([\dA-Za-z]{16}|[\da-f]{32})|([\da-f]{32})|([\dA-Za-z]{16})):([\da-f]{128})$/
  return createFormat({
    name: "lucia",
    accepts: (stored) => format.test(stored),
    parse: (stored) => match(format, stored),
    async isRight([, version, versioned = "", current = "", first, hash = ""], password) {
      const text = toNfkc(password)
      if (first === undefined) return isTextOf(text, { salt: version ? versioned : current, hash, r: 16 })
      // The first versions hashed a password as it was typed; the later ones, which verified it as well, did not.
      if (await isTextOf(text, { salt: first, hash, r: 8 })) return true
      const typed = new TextDecoder().decode(password)
      return typed !== text && isTextOf(typed, { salt: first, hash, r: 8 })
    },
  })
}

const toNfkc = (password: Uint8Array): string => new TextDecoder().decode(password).normalize("NFKC")

interface TextSaltHash {
  /** Its text is what is hashed. */
  readonly salt: string
  /** In hexadecimal. */
  readonly hash: string
  readonly r: number
}

async function isTextOf(password: string, { salt, hash, r }: TextSaltHash): Promise<boolean> {
  const key = await scryptKey(toBytes(password), toBytes(salt), { n: 2 ** 14, r, p: 1, length: 64 })
  return isEqual(toBytes(toHex(key)), toBytes(hash))
}

/** Parameters of a Firebase project, as its console shows them. */
export interface FirebaseScryptOptions {
  /** `base64_signer_key`. */
  readonly signerKey: string
  /** `base64_salt_separator`. */
  readonly saltSeparator: string
  readonly rounds: number
  /** `mem_cost`. */
  readonly memoryCost: number
}

/**
 * Firebase's modified scrypt. Stored as `$fbscrypt$salt$hash`, both in base64 as the export has them or in base64url as the
 * Admin SDK lists them. Supabase stores the parameters with each hash, `$fbscrypt$v=1,n=14,r=8,p=1,ss=...,sk=...$salt$hash`:
 * those need no options.
 */
export function firebaseScrypt(options?: FirebaseScryptOptions): PasswordFormat {
  const short = /^\$fbscrypt\$([\w+/=-]{1,128})\$([\w+/=-]{8,256})$/
  const long =
    /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})(?:,ss=([\w+/=-]{1,128}))?,sk=([\w+/=-]{8,256})\$([\w+/=-]{1,128})\$([\w+/=-]{8,256})$/
  return createFormat({
    name: "firebase-scrypt",
    accepts: (stored) => long.test(stored) || (options !== undefined && short.test(stored)),
    parse(stored): FirebaseHash {
      const [, n, r, p, separator = "", signerKey = "", salt = "", hash = ""] = long.exec(stored) ?? []
      if (n === undefined) {
        const [, ownSalt = "", ownHash = ""] = match(short, stored)
        if (!options) throw new PasswordFormatError("A stored password hash lacks the parameters of its project")
        return toFirebaseHash({ ...options, p: 1, salt: ownSalt, hash: ownHash })
      }
      const costs = { memoryCost: Number(n), rounds: Number(r), p: Number(p) }
      return toFirebaseHash({ ...costs, saltSeparator: separator, signerKey, salt, hash })
    },
    async isRight({ costs, salt, signerKey, hash }, password) {
      const derived = await scryptKey(password, salt, costs)
      const key = await crypto.subtle.importKey("raw", new Uint8Array(derived), "AES-CTR", false, ["encrypt"])
      const counter = { name: "AES-CTR", counter: new Uint8Array(16), length: 64 }
      return isEqual(new Uint8Array(await crypto.subtle.encrypt(counter, key, signerKey)), hash)
    },
  })
}

interface FirebaseHash {
  readonly costs: ScryptCosts
  readonly salt: Uint8Array
  readonly signerKey: Uint8Array<ArrayBuffer>
  readonly hash: Uint8Array
}

interface FirebaseText extends FirebaseScryptOptions {
  readonly p: number
  readonly salt: string
  readonly hash: string
}

function toFirebaseHash(text: FirebaseText): FirebaseHash {
  const read = (base64: string) => fromBase64(base64.replaceAll("-", "+").replaceAll("_", "/"))
  const { memoryCost, rounds, p } = text
  if (!(memoryCost >= 1 && memoryCost <= 20 && rounds >= 1 && p >= 1)) {
    throw new PasswordFormatError("The costs of a stored password hash are not from 1 to 20")
  }
  const costs = { n: 2 ** memoryCost, r: rounds, p, length: 32 }
  assertCosts(costs)
  const salt = new Uint8Array([...read(text.salt), ...read(text.saltSeparator)])
  return { costs, salt, signerKey: read(text.signerKey), hash: read(text.hash) }
}

const digests: Readonly<Record<string, string>> = { sha1: "SHA-1", sha256: "SHA-256", sha512: "SHA-512" }

/** Several times the 600,000 of OWASP's Password Storage Cheat Sheet. */
const maxIterations = 2_000_000

interface Pbkdf2Hash {
  readonly iterations: number
  /** As Web Crypto names it. */
  readonly digest: string
  readonly salt: Uint8Array<ArrayBuffer>
  readonly hash: Uint8Array
}

function assertIterations(iterations: number): void {
  if (iterations >= 1 && iterations <= maxIterations) return
  throw new PasswordFormatError(`A stored password hash has more than ${maxIterations} iterations`)
}

async function isPbkdf2Of(password: Uint8Array, { iterations, digest, salt, hash }: Pbkdf2Hash): Promise<boolean> {
  const parameters = { name: "PBKDF2", hash: digest, iterations, salt }
  const key = await crypto.subtle.importKey("raw", new Uint8Array(password), "PBKDF2", false, ["deriveBits"])
  return isEqual(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, hash.length * 8)), hash)
}

/** PBKDF2, RFC 8018, as Django stores it (`pbkdf2_sha256$...`) and as Passlib does (`$pbkdf2-sha256$...`). */
export function pbkdf2(): PasswordFormat {
  const django = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,10})\$([\x21-\x23\x25-\x7e]{1,128})\$([\w+/=]{8,128})$/
  const passlib = /^\$pbkdf2-(sha1|sha256|sha512)\$(\d{1,10})\$([\w./]{1,128})\$([\w./]{8,128})$/
  return createFormat({
    name: "pbkdf2",
    accepts: (stored) => django.test(stored) || passlib.test(stored),
    parse(stored): Pbkdf2Hash {
      const [, digest = "", count, salt = "", hash = ""] = django.exec(stored) ?? match(passlib, stored)
      const iterations = Number(count)
      assertIterations(iterations)
      // Passlib writes a dot for a plus sign.
      const read = (text: string) => fromBase64(text.replaceAll(".", "+"))
      const isPasslib = stored.startsWith("$")
      return {
        iterations,
        digest: digests[digest] ?? "",
        salt: isPasslib ? read(salt) : toBytes(salt),
        hash: isPasslib ? read(hash) : fromBase64(hash),
      }
    },
    isRight: (hash, password) => isPbkdf2Of(password, hash),
  })
}

/** Options of passport-local-mongoose, by its names. */
export interface PassportLocalMongooseOptions {
  /** Default: 25,000. */
  readonly iterations?: number | undefined
  /** Bytes. Default: 512. */
  readonly keylen?: number | undefined
  /** Version 1 had `sha1` as its default. Default: `sha256`. */
  readonly digestAlgorithm?: "sha1" | "sha256" | "sha512" | undefined
  /** Default: `hex`. */
  readonly encoding?: "hex" | "base64" | undefined
}

/** Bytes of a digest. */
const digestLengths: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 }

/** The hashes of passport-local-mongoose. Stored as `$passport-local-mongoose$salt$hash`, both as its documents have them. */
export function passportLocalMongoose(options: PassportLocalMongooseOptions = {}): PasswordFormat {
  const { iterations = 25_000, keylen = 512, digestAlgorithm = "sha256", encoding = "hex" } = options
  const format = /^\$passport-local-mongoose\$([\w+/=]{1,512})\$([\w+/=]{8,4096})$/
  const digest = digests[digestAlgorithm]
  const blockLength = digestLengths[digestAlgorithm] ?? 0
  const isPossible =
    Number.isInteger(iterations) && iterations >= 1 && iterations <= maxIterations && keylen >= 16 && keylen <= 2048
  if (!isPossible || digest === undefined || !["hex", "base64"].includes(encoding)) {
    throw new InvalidConfiguration(
      `passportLocalMongoose: iterations must be from 1 to ${maxIterations}, keylen from 16 to 2048, digestAlgorithm "sha1", "sha256" or "sha512", and encoding "hex" or "base64"`,
    )
  }
  return createFormat({
    name: "passport-local-mongoose",
    accepts: (stored) => format.test(stored),
    parse(stored): Pbkdf2Hash {
      const [, salt = "", text = ""] = match(format, stored)
      const isHex = encoding === "hex" && /^(?:[\da-f]{2})+$/.test(text)
      const hash = encoding === "hex" ? fromHex(isHex ? text : "") : fromBase64(text)
      if (hash.length !== keylen) {
        throw new PasswordFormatError(`A stored password hash is not ${keylen} bytes in ${encoding}`)
      }
      // PBKDF2 derives each block by itself: the first one tells all, and the others would only take longer.
      return { iterations, digest, salt: toBytes(salt), hash: hash.subarray(0, blockLength) }
    },
    isRight: (hash, password) => isPbkdf2Of(password, hash),
  })
}

/** The base-64 alphabet of crypt(3). */
const cryptAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The portable hashes of phpass (`$P$`, `$H$`), as WordPress and phpBB stored them: MD5, many times. */
export function phpass(): PasswordFormat {
  const format = /^\$[PH]\$([./\dA-Za-z])([./\dA-Za-z]{8})([./\dA-Za-z]{22})$/
  return createFormat({
    name: "phpass",
    accepts: (stored) => format.test(stored),
    parse(stored) {
      const [, cost = "", salt = "", hash = ""] = match(format, stored)
      const log = cryptAlphabet.indexOf(cost)
      // The rounds run without a pause, in which no other request is answered.
      if (log < 7 || log > 16) throw new PasswordFormatError("The cost of a stored password hash is not from 7 to 16")
      return { log, salt, hash }
    },
    async isRight({ log, salt, hash }, password) {
      const node = findNodeCrypto()
      if (!node) throw new InvalidConfiguration("phpass: this platform has no MD5. Verify these passwords elsewhere")
      const md5 = (...parts: readonly Uint8Array[]) => {
        const digest = node.createHash("md5")
        for (const part of parts) digest.update(part)
        return digest.digest()
      }
      let key: Uint8Array = md5(toBytes(salt), password)
      for (let n = 2 ** log; n > 0; n--) key = md5(key, password)
      return isEqual(toBytes(toCryptText(key)), toBytes(hash))
    },
  })
}

/** Six bits for a character, the lowest first. */
function toCryptText(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3)
    const bits = (group[0] ?? 0) | ((group[1] ?? 0) << 8) | ((group[2] ?? 0) << 16)
    for (let n = 0; n <= group.length; n++) text += cryptAlphabet[(bits >> (6 * n)) & 63]
  }
  return text
}

/** Bytes. The algorithm ignores the rest of a password, so that two of them have one hash. */
const maxBcryptLength = 72

/**
 * Bcrypt (`$2a$`, `$2b$`, `$2y$`). Needs the package `bcryptjs`. It is verified only, never written. A password of more
 * than 72 bytes or with a NUL byte is refused, since others would do as well: its owner chooses a new one.
 */
export function bcrypt(): PasswordFormat {
  const format = /^\$2[aby]\$(\d\d)\$[./\dA-Za-z]{53}$/
  return createFormat({
    name: "bcrypt",
    accepts: (stored) => format.test(stored),
    parse(stored) {
      const cost = Number(match(format, stored)[1])
      if (cost >= 4 && cost <= 15) return stored
      throw new PasswordFormatError("The cost of a stored password hash is not from 4 to 15")
    },
    async isRight(stored, password) {
      const { compare } = await loadBcrypt()
      // Compared first: without the work, the time of the answer would tell that there is a hash of this format.
      const isRight = await compare(new TextDecoder().decode(password), stored)
      return isRight && password.length <= maxBcryptLength && !password.includes(0)
    },
  })
}

async function loadBcrypt(): Promise<{ compare(text: string, hash: string): Promise<boolean> }> {
  const name = "bcryptjs"
  try {
    return await import(/* @vite-ignore */ name)
  } catch {
    throw new InvalidConfiguration("bcrypt: install the package bcryptjs, which verifies these hashes")
  }
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
