import { type Argon2Parameters, argon2Sync } from "node:crypto"

/** Argon2id at its least cost, whatever costs are asked for: thousands of hashes are needed, and no one steals them. */
export function hashCheaply(parameters: Argon2Parameters): Buffer<ArrayBuffer> {
  const { parallelism } = parameters
  return argon2Sync("argon2id", { ...parameters, memory: 8 * parallelism, passes: 1 })
}

const length = 32

/** A hash as the service stores it, with other costs than its own, so that the next sign-in replaces it. */
export function hashPassword(text: string, salt: Uint8Array): string {
  const hash = hashCheaply({ message: text, nonce: salt, parallelism: 1, memory: 8, passes: 1, tagLength: length })
  return `$argon2id$v=19$m=8192,t=1,p=1$${toBase64(salt)}$${toBase64(hash)}`
}

/** Whether a stored hash is that of a password. */
export function isHashOf(stored: string, text: string): boolean {
  const [salt = "", hash = ""] = stored.split("$").slice(-2)
  const nonce = Buffer.from(salt, "base64")
  const made = hashCheaply({ message: text, nonce, parallelism: 1, memory: 8, passes: 1, tagLength: length })
  return toBase64(made) === hash
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "")
}
