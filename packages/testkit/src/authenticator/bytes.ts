/** Bytes that Web Crypto accepts: never on shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

export function join(...parts: readonly Uint8Array[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

/** Without padding, RFC 4648 section 5. */
export function toBase64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

export function fromBase64url(text: string): Bytes {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length))
}
