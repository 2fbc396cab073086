import { WebAuthnVerificationError } from "../../errors/sign-in.js"
import { findItemEnd } from "./cbor.js"

/** What a device says, WebAuthn level 3, section 6.1, as far as the library does not look at it. */
export interface AuthenticatorData {
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly counter: number
  /** Present when a credential was made. */
  readonly credential: AttestedCredential | null
}

export interface AttestedCredential {
  readonly id: Uint8Array<ArrayBuffer>
  /** COSE key, RFC 9052 section 7. */
  readonly publicKey: Uint8Array<ArrayBuffer>
}

const flags = { backupEligible: 0x08, backedUp: 0x10, attestedCredential: 0x40, extensions: 0x80 } as const

/** Bytes of the hash, the flags and the counter; of the AAGUID and the length of the id. */
const headLength = 37
const credentialHeadLength = 18

/** WebAuthn level 3, section 7.1 (size of the credential id). */
const maxIdLength = 1023

/** @throws WebAuthnVerificationError when it is broken, inconsistent, or followed by anything */
export function parseAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): AuthenticatorData {
  if (bytes.length < headLength) throw new WebAuthnVerificationError("authenticatorData: too short")
  const set = bytes[32] ?? 0
  const isBackupEligible = (set & flags.backupEligible) !== 0
  const isBackedUp = (set & flags.backedUp) !== 0
  if (isBackedUp && !isBackupEligible) {
    throw new WebAuthnVerificationError("authenticatorData: backed up (BS), but not eligible for backup (BE)")
  }
  const attested =
    (set & flags.attestedCredential) !== 0 ? parseCredential(bytes) : { credential: null, end: headLength }
  const end = (set & flags.extensions) !== 0 ? findItemEnd(bytes, attested.end) : attested.end
  if (end !== bytes.length) throw new WebAuthnVerificationError("authenticatorData: there are bytes after its end")
  const counter = new DataView(bytes.buffer, bytes.byteOffset).getUint32(33)
  return { isBackupEligible, isBackedUp, counter, credential: attested.credential }
}

function parseCredential(bytes: Uint8Array<ArrayBuffer>): {
  readonly credential: AttestedCredential
  readonly end: number
} {
  const idStart = headLength + credentialHeadLength
  if (bytes.length < idStart) throw new WebAuthnVerificationError("authenticatorData: too short for a credential")
  const idEnd = idStart + new DataView(bytes.buffer, bytes.byteOffset).getUint16(idStart - 2)
  const isSized = idEnd > idStart && idEnd - idStart <= maxIdLength
  if (!isSized) throw new WebAuthnVerificationError(`credential id: must have 1 to ${maxIdLength} bytes`)
  const end = findItemEnd(bytes, idEnd)
  return { credential: { id: bytes.slice(idStart, idEnd), publicKey: bytes.slice(idEnd, end) }, end }
}
