import type { Bytes, CborMap } from "./encoding.js"

/** What a service asks a browser for, as far as a device looks at it. WebAuthn level 3, section 5.1.9. */
export interface CreationOptionsJson {
  readonly challenge: string
  readonly rp: { readonly id?: string; readonly name?: string }
  readonly user: { readonly id: string; readonly name?: string; readonly displayName?: string }
  readonly pubKeyCredParams: readonly { readonly alg: number; readonly type?: string }[]
  readonly excludeCredentials?: readonly { readonly id: string }[]
  readonly authenticatorSelection?: { readonly userVerification?: string }
}

/** WebAuthn level 3, section 5.1.10. */
export interface RequestOptionsJson {
  readonly challenge: string
  readonly rpId?: string
  readonly allowCredentials?: readonly { readonly id: string }[]
  readonly userVerification?: string
}

interface CredentialJson<Response> {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly authenticatorAttachment: "platform"
  readonly clientExtensionResults: object
  readonly response: Response
}

/** WebAuthn level 3, section 5.1.8. Binary values are base64url. */
export type RegistrationJson = CredentialJson<{
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly transports: readonly string[]
}>

/** WebAuthn level 3, section 5.1.8. Binary values are base64url. */
export type AuthenticationJson = CredentialJson<{
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle?: string
}>

/** Flags of the authenticator data, WebAuthn level 3, section 6.1. */
export interface AuthenticatorFlags {
  /** User present. */
  readonly up: boolean
  /** User verified. */
  readonly uv: boolean
  /** Eligible for backup. */
  readonly be: boolean
  /** Backed up. */
  readonly bs: boolean
  /** Says that extension data follows, without any. */
  readonly ed: boolean
}

/**
 * How the attestation object is made. `none` is what browsers pass on; `packed` is signed with the new key itself; the
 * others are what a relying party refuses.
 */
export type Attestation =
  | "none"
  | "packed"
  | "packed-bad-signature"
  | "packed-other-algorithm"
  | "packed-certificate"
  | "unknown-format"
  | "none-with-statement"
  | "trailing-bytes"
  | "trailing-bytes-inside"
  | "duplicate-keys"
  | "deeply-nested"
  | "huge"

/** Where one answer differs from what a sound browser with a sound device says. */
export interface Misbehaviour {
  /** Members of the client data: `type`, `challenge`, `origin`, `crossOrigin`, `topOrigin`. */
  readonly clientData?: Readonly<Record<string, unknown>>
  /** Hashed in place of the relying party's id. */
  readonly rpId?: string
  readonly flags?: Partial<AuthenticatorFlags>
  readonly counter?: number
  /** Of a new credential. */
  readonly credentialId?: Bytes
  /** In place of the new credential's key. */
  readonly coseKey?: CborMap
  readonly attestation?: Attestation
  readonly signature?: (signature: Bytes) => Bytes
  /** Base64url; null: none. */
  readonly userHandle?: string | null
  /** Base64url: claims to be this credential. */
  readonly claimedId?: string
}
