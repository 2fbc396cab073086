/** Bytes as Web Crypto takes them. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

export function toBytes(text: string): Bytes {
  return encoder.encode(text)
}

/** Null unless the bytes are UTF-8. */
export function toText(bytes: ArrayBuffer): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** Decodes base64 or base64url, with padding or without. Null for any other text. */
export function fromBase64(text: string): Bytes | null {
  const standard = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/={1,2}$/, "")
  if (!/^[A-Za-z0-9+/]*$/.test(standard) || standard.length % 4 === 1) return null
  const binary = atob(standard)
  const bytes = new Uint8Array(binary.length)
  for (let n = 0; n < bytes.length; n++) bytes[n] = binary.charCodeAt(n)
  return bytes
}

export function toBase64(bytes: ArrayBuffer): string {
  let binary = ""
  for (const byte of new Uint8Array(bytes)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export function toBase64url(bytes: ArrayBuffer): string {
  return toBase64(bytes)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "")
}

/** Decodes base64url without padding. Null for any other text, and for another spelling of the same bytes. */
export function fromBase64url(text: string): Bytes | null {
  const bytes = fromBase64(text)
  return bytes && toBase64url(bytes.buffer) === text ? bytes : null
}

export function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Compares in constant time. */
export function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let n = 0; n < one.length; n++) difference |= one.charCodeAt(n) ^ other.charCodeAt(n % (other.length || 1))
  return difference === 0
}
