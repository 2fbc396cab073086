import type { Bytes } from "./backend.js"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Base64url without padding, RFC 4648 section 5, for platforms without an encoder. */
export function toBase64url(bytes: Bytes): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) text += alphabet.charAt((group >> shift) & 63)
  }
  return text.slice(0, Math.ceil((bytes.length * 4) / 3))
}

/** Null unless the text is the canonical encoding of its bytes, RFC 4648 section 3.5. */
export function fromBase64url(text: string): Bytes | null {
  if (text.length % 4 === 1) return null
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let pending = 0
  let pendingBits = 0
  let at = 0
  for (let index = 0; index < text.length; index++) {
    const value = toSextet(text.charCodeAt(index))
    if (value === undefined) return null
    pending = (pending << 6) | value
    pendingBits += 6
    if (pendingBits >= 8) {
      pendingBits -= 8
      bytes[at++] = pending >> pendingBits
      pending &= (1 << pendingBits) - 1
    }
  }
  return pending === 0 ? bytes : null
}

/** What a letter of the alphabet stands for. Computed: a table would be built whenever a process starts. */
function toSextet(letter: number): number | undefined {
  if (letter >= 97 && letter <= 122) return letter - 71
  if (letter >= 65 && letter <= 90) return letter - 65
  if (letter >= 48 && letter <= 57) return letter + 4
  if (letter === 45) return 62
  return letter === 95 ? 63 : undefined
}

/** Hexadecimal digits in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Decodes hexadecimal digits. */
export function fromHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Concatenates the parts. */
export function joinBytes(parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
