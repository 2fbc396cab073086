import { toHex } from "../../crypto/encoding.js"
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

async function scryptKey(
  password: Uint8Array,
  salt: Uint8Array,
  { n, r, p, length }: ScryptCosts,
): Promise<Uint8Array> {
  const node = findNodeCrypto()
  if (!node) throw new InvalidConfiguration("scrypt: this platform has none. Verify these passwords elsewhere")
  // RFC 7914 section 2: 128 * N * r bytes.
  if (128 * n * r > maxMemory) throw new PasswordFormatError("A stored password hash needs more than 256 MiB")
  if (n * r * p > maxWork) throw new PasswordFormatError("A stored password hash costs more than it may")
  return new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r }
    node.scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Scrypt, RFC 7914, as `$scrypt$ln=17,r=8,p=1$salt$hash`. */
export function scrypt(): PasswordFormat {
  return {
    name: "scrypt",
    accepts: (stored) => stored.startsWith("$scrypt$"),
    async verify(stored, password) {
      const parsed = parsePhc(stored)
      if (parsed?.id !== "scrypt") throw new PasswordFormatError("A stored password hash is not a scrypt hash")
      const [n, r, p] = [
        2 ** readCost(parsed, "ln", [1, 20]),
        readCost(parsed, "r", [1, 32]),
        readCost(parsed, "p", [1, 16]),
      ]
      return isEqual(await scryptKey(password, parsed.salt, { n, r, p, length: parsed.hash.length }), parsed.hash)
    },
  }
}

/** The hashes of Better Auth: `salt:hash` in hexadecimal, scrypt with N = 2^14, r = 16, p = 1 over the text of the salt. */
export function betterAuth(): PasswordFormat {
  const format = /^([\da-f]{32}):([\da-f]{128})$/
  const costs: ScryptCosts = { n: 2 ** 14, r: 16, p: 1, length: 64 }
  return {
    name: "better-auth",
    accepts: (stored) => format.test(stored),
    async verify(stored, password) {
      const [, salt = "", hash = ""] = format.exec(stored) ?? []
      const text = new TextDecoder().decode(password).normalize("NFKC")
      const key = await scryptKey(toBytes(text), toBytes(salt), costs)
      return isEqual(toBytes(toHex(key)), toBytes(hash))
    },
  }
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

/** Firebase's modified scrypt. Stored as `$fbscrypt$salt$hash`, both as the export has them. */
export function firebaseScrypt(options: FirebaseScryptOptions): PasswordFormat {
  const { signerKey, saltSeparator, rounds, memoryCost } = options
  const format = /^\$fbscrypt\$([\w+/=]{1,128})\$([\w+/=]{8,256})$/
  return {
    name: "firebase-scrypt",
    accepts: (stored) => format.test(stored),
    async verify(stored, password) {
      const [, salt = "", hash = ""] = format.exec(stored) ?? []
      const wholeSalt = new Uint8Array([...fromBase64(salt), ...fromBase64(saltSeparator)])
      const derived = await scryptKey(password, wholeSalt, { n: 2 ** memoryCost, r: rounds, p: 1, length: 32 })
      const key = await crypto.subtle.importKey("raw", new Uint8Array(derived), "AES-CTR", false, ["encrypt"])
      const counter = { name: "AES-CTR", counter: new Uint8Array(16), length: 64 }
      const encrypted = await crypto.subtle.encrypt(counter, key, fromBase64(signerKey))
      return isEqual(new Uint8Array(encrypted), fromBase64(hash))
    },
  }
}

const digests: Readonly<Record<string, string>> = { sha1: "SHA-1", sha256: "SHA-256", sha512: "SHA-512" }

/** Several times the 600,000 of OWASP's Password Storage Cheat Sheet. */
const maxIterations = 2_000_000

/** PBKDF2, RFC 8018, as Django stores it (`pbkdf2_sha256$...`) and as Passlib does (`$pbkdf2-sha256$...`). */
export function pbkdf2(): PasswordFormat {
  const django = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,10})\$([\x21-\x23\x25-\x7e]{1,128})\$([\w+/=]{8,128})$/
  const passlib = /^\$pbkdf2-(sha1|sha256|sha512)\$(\d{1,10})\$([\w./]{1,128})\$([\w./]{8,128})$/
  return {
    name: "pbkdf2",
    accepts: (stored) => django.test(stored) || passlib.test(stored),
    async verify(stored, password) {
      const found = django.exec(stored) ?? passlib.exec(stored) ?? []
      const [, digest = "", count = "", salt = "", hash = ""] = found
      const iterations = Number(count)
      if (!(iterations >= 1 && iterations <= maxIterations)) {
        throw new PasswordFormatError(`A stored password hash has more than ${maxIterations} iterations`)
      }
      // Passlib writes a dot for a plus sign.
      const read = (text: string) => fromBase64(text.replaceAll(".", "+"))
      const expected = stored.startsWith("$") ? read(hash) : fromBase64(hash)
      const parameters = {
        name: "PBKDF2",
        hash: digests[digest] ?? "",
        iterations,
        salt: stored.startsWith("$") ? read(salt) : toBytes(salt),
      }
      const key = await crypto.subtle.importKey("raw", new Uint8Array(password), "PBKDF2", false, ["deriveBits"])
      return isEqual(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, expected.length * 8)), expected)
    },
  }
}

/** The base-64 alphabet of crypt(3). */
const cryptAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The portable hashes of phpass (`$P$`, `$H$`), as WordPress and phpBB stored them: MD5, many times. */
export function phpass(): PasswordFormat {
  const format = /^\$[PH]\$([./\dA-Za-z])([./\dA-Za-z]{8})([./\dA-Za-z]{22})$/
  return {
    name: "phpass",
    accepts: (stored) => format.test(stored),
    async verify(stored, password) {
      const [, cost = "", salt = "", hash = ""] = format.exec(stored) ?? []
      const log = cryptAlphabet.indexOf(cost)
      // The rounds run without a pause, in which no other request is answered.
      if (log < 7 || log > 16) throw new PasswordFormatError("The cost of a stored password hash is not from 7 to 16")
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
  }
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
  return {
    name: "bcrypt",
    accepts: (stored) => format.test(stored),
    async verify(stored, password) {
      const cost = Number(format.exec(stored)?.[1])
      if (!(cost >= 4 && cost <= 15)) {
        throw new PasswordFormatError("The cost of a stored password hash is not from 4 to 15")
      }
      const { compare } = await loadBcrypt()
      // Compared first: without the work, the time of the answer would tell that there is a hash of this format.
      const isRight = await compare(new TextDecoder().decode(password), stored)
      return isRight && password.length <= maxBcryptLength && !password.includes(0)
    },
  }
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
