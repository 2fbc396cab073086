import { createCipheriv, createDecipheriv, createHash } from "node:crypto"

const nonceLength = 24
const tagLength = 16

/**
 * Opens a text that Better Auth sealed: hexadecimal of a nonce, the encrypted text and a tag, with the SHA-256 of a secret as
 * the key. A prefix `$ba$<version>$` names the secret; it is not needed, since the tag tells which secret is right.
 * @returns null if none of the secrets opens it
 */
export function openSealedText(sealed: string, secrets: readonly string[]): string | null {
  const hex = sealed.replace(/^\$ba\$\d{1,9}\$/, "")
  if (!isHex(hex)) return null
  const bytes = Buffer.from(hex, "hex")
  for (const secret of secrets) {
    const text = open(bytes, createHash("sha256").update(secret, "utf8").digest())
    if (text !== null) return text
  }
  return null
}

/** Whether a text can have been sealed. Tokens that are hexadecimal look like it, too. */
export function isSealedText(text: string): boolean {
  return /^\$ba\$\d{1,9}\$/.test(text) || isHex(text)
}

function isHex(text: string): boolean {
  return text.length >= 2 * (nonceLength + tagLength) && text.length % 2 === 0 && /^[\da-f]+$/i.test(text)
}

/** XChaCha20-Poly1305: ChaCha20-Poly1305 of RFC 8439 with a key of the first 16 bytes of the nonce, and its last 8. */
function open(bytes: Buffer, key: Buffer): string | null {
  const [nonce, tag] = [bytes.subarray(0, nonceLength), bytes.subarray(-tagLength)]
  const shortNonce = Buffer.concat([Buffer.alloc(4), nonce.subarray(16)])
  const ownKey = deriveKey(key, nonce.subarray(0, 16))
  const decipher = createDecipheriv("chacha20-poly1305", ownKey, shortNonce, { authTagLength: tagLength })
  decipher.setAuthTag(tag)
  const text = decipher.update(bytes.subarray(nonceLength, -tagLength))
  try {
    decipher.final()
  } catch {
    return null // The tag is wrong: another secret, or other bytes.
  }
  return text.toString("utf8")
}

/**
 * HChaCha20 (draft-irtf-cfrg-xchacha section 2.2), taken from a block of ChaCha20 (RFC 8439 section 2.3): a block is the state
 * after the rounds plus the state before them, and HChaCha20 is the first and the last row without that sum.
 */
function deriveKey(key: Buffer, nonce: Buffer): Buffer {
  const block = createCipheriv("chacha20", key, nonce).update(Buffer.alloc(64))
  const constants = Buffer.from("expand 32-byte k", "latin1")
  const derived = Buffer.alloc(32)
  for (let at = 0; at < 16; at += 4) {
    derived.writeUInt32LE((block.readUInt32LE(at) - constants.readUInt32LE(at)) >>> 0, at)
    derived.writeUInt32LE((block.readUInt32LE(48 + at) - nonce.readUInt32LE(at)) >>> 0, 16 + at)
  }
  return derived
}
