import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import type { PasswordHasher } from "./password-hasher.js"

interface ScryptHash {
  readonly logCost: number
  readonly blockSize: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly key: Buffer
}

const format = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/

/**
 * Scrypt, RFC 7914, with N = 2^17, r = 8, p = 1 as OWASP's Password Storage Cheat Sheet asks, written as
 * `$scrypt$ln=17,r=8,p=1$salt$key`.
 */
export function scryptHasher(): PasswordHasher {
  return { name: "scrypt", hash: hashPassword, verify: verifyPassword }
}

async function hashPassword(password: string): Promise<string> {
  const fresh = { logCost: 17, blockSize: 8, parallelism: 1, salt: randomBytes(16) }
  const key = await deriveKey(password, fresh)
  return `$scrypt$ln=17,r=8,p=1$${toText(fresh.salt)}$${toText(key)}`
}

async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const parsed = parseHash(stored)
  return timingSafeEqual(await deriveKey(password, parsed), parsed.key)
}

function parseHash(stored: string): ScryptHash {
  const [, logCost, blockSize, parallelism, salt = "", key = ""] = format.exec(stored) ?? []
  const parsed = {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    key: Buffer.from(key, "base64"),
  }
  if (parsed.key.length !== 32) throw new Error("A stored password was hashed by another algorithm than scrypt.")
  return parsed
}

function deriveKey(password: string, hash: Omit<ScryptHash, "key">): Promise<Buffer> {
  const N = 2 ** hash.logCost
  // Scrypt needs 128 * N * r bytes; Node refuses beyond `maxmem`.
  const costs = { N, r: hash.blockSize, p: hash.parallelism, maxmem: 256 * N * hash.blockSize }
  return new Promise((resolve, reject) => {
    scrypt(password, hash.salt, 32, costs, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

function toText(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "")
}
