// The unavoidable primitives of the scenarios: random bytes, encryption, cookies and CSRF tokens, written by hand.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomFillSync,
  timingSafeEqual,
} from "node:crypto"
import { csrfCookieName, secret, sessionCookieName } from "../../fixtures/host.ts"

const randomPool = Buffer.alloc(4096)
const poolPosition = { next: randomPool.length }

/** Random bytes from a pool that is filled in one call. */
export function takeRandom(length: number): Buffer {
  if (poolPosition.next + length > randomPool.length) {
    randomFillSync(randomPool)
    poolPosition.next = 0
  }
  poolPosition.next += length
  return Buffer.from(randomPool.subarray(poolPosition.next - length, poolPosition.next))
}

/** Synchronous AES-256-CBC and HMAC-SHA-512 with cached keys. */
export interface Sealer {
  seal(plaintext: string): string
  /** @throws for a token sealed with another key */
  open(token: string): string
}

/** Compact JWE with `dir` and `A256CBC-HS512`, the format of the contract's tokens. */
export function createSealer(salt: string): Sealer {
  const key = Buffer.from(hkdfSync("sha256", secret, salt, `Auth.js Generated Encryption Key (${salt})`, 64))
  const macKey = createSecretKey(key.subarray(0, 32))
  const encryptionKey = createSecretKey(key.subarray(32))
  const kid = createHash("sha512")
    .update(`{"k":"${key.toString("base64url")}","kty":"oct"}`)
    .digest("base64url")
  const header = Buffer.from(`{"alg":"dir","enc":"A256CBC-HS512","kid":"${kid}"}`).toString("base64url")
  const aad = Buffer.from(header)
  const aadBits = Buffer.alloc(8)
  aadBits.writeBigUInt64BE(BigInt(aad.length * 8))
  const ivStart = header.length + 2

  function toTag(iv: Buffer, ciphertext: Buffer): Buffer {
    const mac = createHmac("sha512", macKey).update(aad).update(iv).update(ciphertext).update(aadBits)
    return mac.digest().subarray(0, 32)
  }

  return {
    seal(plaintext) {
      const iv = takeRandom(16)
      const cipher = createCipheriv("aes-256-cbc", encryptionKey, iv)
      const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()])
      const tag = toTag(iv, ciphertext)
      return `${header}..${iv.toString("base64url")}.${ciphertext.toString("base64url")}.${tag.toString("base64url")}`
    },
    open(token) {
      const ivEnd = token.indexOf(".", ivStart)
      const ciphertextEnd = token.indexOf(".", ivEnd + 1)
      const iv = Buffer.from(token.slice(ivStart, ivEnd), "base64url")
      const ciphertext = Buffer.from(token.slice(ivEnd + 1, ciphertextEnd), "base64url")
      const tag = Buffer.from(token.slice(ciphertextEnd + 1), "base64url")
      const isOurs = token.startsWith(header) && timingSafeEqual(toTag(iv, ciphertext), tag)
      if (!isOurs) throw new Error("Token sealed with another key")
      const decipher = createDecipheriv("aes-256-cbc", encryptionKey, iv)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8")
    },
  }
}

export const jsonHeaders = {
  "content-type": "application/json",
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
} as const

/** @throws when the header lacks the cookie */
export function getCookie(header: string | null, name: string): string {
  const start = header?.indexOf(`${name}=`) ?? -1
  if (header === null || start === -1) throw new Error(`The cookie ${name} is missing`)
  const end = header.indexOf(";", start)
  return header.slice(start + name.length + 1, end === -1 ? undefined : end)
}

export function toSessionCookie(value: string, expires: Date): string {
  return `${sessionCookieName}=${value}; Path=/; Expires=${expires.toUTCString()}; HttpOnly; Secure; SameSite=Lax`
}

const csrfKey = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "csrf", "csrf", 32)))

function toCsrfMac(token: string): Buffer {
  return createHmac("sha256", csrfKey).update(token).digest()
}

/** The CSRF cookie of a browser that has loaded a form, and the token in that form. */
export function createCsrfPair(): { readonly cookie: string; readonly csrfToken: string } {
  const csrfToken = takeRandom(32).toString("hex")
  return { csrfToken, cookie: `${csrfCookieName}=${csrfToken}|${toCsrfMac(csrfToken).toString("hex")}` }
}

/** Signed double submit: the form repeats the cookie's token, and the cookie has our signature. */
export function assertCsrf(cookieHeader: string | null, csrfToken: string | null): void {
  const [token = "", mac = ""] = getCookie(cookieHeader, csrfCookieName).split("|")
  const isValid = token === csrfToken && timingSafeEqual(toCsrfMac(token), Buffer.from(mac, "hex"))
  if (!isValid) throw new Error("Invalid CSRF token")
}
