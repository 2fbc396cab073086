/** Bytes that Web Crypto accepts: not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Concatenates byte arrays. */
export function join(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Encodes base64url without padding, RFC 4648 section 5. */
export function toBase64url(bytes: Uint8Array): string {
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Decodes base64url. */
export function fromBase64url(text: string): Bytes {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Hashes bytes with SHA-256. */
export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
}

/** Returns random bytes. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** A value that can be encoded as CBOR. */
export type CborValue = number | string | boolean | Uint8Array | readonly CborValue[] | CborMap

/** A CBOR map as a list of entries, so that a key can occur twice. */
export class CborMap {
  readonly entries: readonly (readonly [number | string, CborValue])[]

  constructor(entries: readonly (readonly [number | string, CborValue])[]) {
    this.entries = entries
  }
}

/** Encodes CBOR in its shortest form, RFC 8949. Entries keep their order. */
export function encodeCbor(value: CborValue): Bytes {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (typeof value === "string") return withLength(3, new TextEncoder().encode(value))
  if (value instanceof Uint8Array) return withLength(2, value)
  if (value instanceof CborMap) {
    const entries = value.entries.flatMap(([key, item]) => [encodeCbor(key), encodeCbor(item)])
    return join(head(5, value.entries.length), ...entries)
  }
  return join(head(4, value.length), ...value.map(encodeCbor))
}

function withLength(major: number, content: Uint8Array): Bytes {
  return join(head(major, content.length), content)
}

function head(major: number, argument: number): Bytes {
  const type = major << 5
  if (argument < 24) return Uint8Array.of(type | argument)
  if (argument < 0x100) return Uint8Array.of(type | 24, argument)
  const isShort = argument < 0x1_0000
  const bytes = new Uint8Array(isShort ? 3 : 5)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, type | (isShort ? 25 : 26))
  if (isShort) view.setUint16(1, argument)
  else view.setUint32(1, argument)
  return bytes
}
