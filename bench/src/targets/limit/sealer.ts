import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto"
import { takeRandom } from "./random.ts"

/** The bare primitive: AES-256-CBC and HMAC-SHA-512, synchronous, with keys that are kept. */
export interface Sealer {
  seal(plaintext: string): string
  /** @throws when the token is not ours */
  open(token: string): string
}

/** Compact JWE with `dir` and `A256CBC-HS512`, as the contract's tokens are. */
export function createSealer(secret: string, salt: string): Sealer {
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
      if (!token.startsWith(header) || !timingSafeEqual(toTag(iv, ciphertext), tag)) throw new Error("Not our token")
      const decipher = createDecipheriv("aes-256-cbc", encryptionKey, iv)
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8")
    },
  }
}
