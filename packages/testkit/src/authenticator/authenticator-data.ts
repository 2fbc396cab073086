import { type Bytes, join, sha256 } from "./bytes.js"
import type { AuthenticatorFlags } from "./misbehaviour.js"

export interface AuthenticatorDataParts {
  readonly rpId: string
  readonly flags: AuthenticatorFlags
  readonly counter: number
  /** A credential that was just made; its key in CBOR. */
  readonly credential?: { readonly id: Bytes; readonly publicKey: Bytes }
}

const bits: Readonly<Record<keyof AuthenticatorFlags, number>> = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, ed: 0x80 }
const attested = 0x40
const aaguid = new Uint8Array(16)

/** WebAuthn level 3, section 6.1. */
export async function encodeAuthenticatorData(parts: AuthenticatorDataParts): Promise<Bytes> {
  const { rpId, flags, counter, credential } = parts
  const names = Object.keys(bits) as (keyof AuthenticatorFlags)[] // The keys of a literal record.
  const set = names.reduce((sum, name) => sum | (flags[name] ? bits[name] : 0), credential ? attested : 0)
  const hash = await sha256(new TextEncoder().encode(rpId))
  return join(hash, Uint8Array.of(set), toUint32(counter), ...(credential ? encodeCredential(credential) : []))
}

function encodeCredential({ id, publicKey }: { readonly id: Bytes; readonly publicKey: Bytes }): readonly Bytes[] {
  return [aaguid, Uint8Array.of(id.length >> 8, id.length & 0xff), id, publicKey]
}

function toUint32(value: number): Bytes {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
