import type { Optional } from "@latchkey/core/types"
import type { Bytes, CborMap } from "./encoding.js"

/** Registration options, as far as the software authenticator reads them. WebAuthn Level 3 section 5.1.9. */
export interface CreationOptionsJson {
  readonly challenge: string
  readonly rp: { readonly id?: string | undefined; readonly name?: string | undefined }
  readonly user: { readonly id: string; readonly name?: string | undefined; readonly displayName?: string | undefined }
  readonly pubKeyCredParams: readonly { readonly alg: number; readonly type?: string | undefined }[]
  readonly excludeCredentials?: readonly { readonly id: string }[] | undefined
  readonly authenticatorSelection?: { readonly userVerification?: string | undefined } | undefined
}

/** Authentication options, as far as the software authenticator reads them. WebAuthn Level 3 section 5.1.10. */
export interface RequestOptionsJson {
  readonly challenge: string
  readonly rpId?: string | undefined
  readonly allowCredentials?: readonly { readonly id: string }[] | undefined
  readonly userVerification?: string | undefined
}

interface CredentialJson<Response> {
  readonly id: string
  readonly rawId: string
  readonly type: "public-key"
  readonly authenticatorAttachment: "platform"
  readonly clientExtensionResults: object
  readonly response: Response
}

/** A registration response. Binary values are base64url. WebAuthn Level 3 section 5.1.8. */
export type RegistrationJson = CredentialJson<{
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly transports: readonly string[]
}>

/** An authentication response. Binary values are base64url. WebAuthn Level 3 section 5.1.8. */
export type AuthenticationJson = CredentialJson<{
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle?: string | undefined
}>

/** Flags of the authenticator data, WebAuthn Level 3 section 6.1. */
export interface AuthenticatorFlags {
  /** User present. */
  readonly up: boolean
  /** User verified. */
  readonly uv: boolean
  /** Eligible for backup. */
  readonly be: boolean
  /** Backed up. */
  readonly bs: boolean
  /** Claims extension data, without adding any. */
  readonly ed: boolean
}

/**
 * The form of the attestation object. `none` is what browsers send by default; `packed` is self attestation; a relying
 * party must refuse all others.
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

/** Deviations of a response from what a correct browser and authenticator send. */
export interface Misbehavior {
  /** Replaces members of the client data: `type`, `challenge`, `origin`, `crossOrigin`, `topOrigin`. */
  readonly clientData?: Readonly<Record<string, unknown>> | undefined
  /** Hashed instead of the relying party's id. */
  readonly rpId?: string | undefined
  readonly flags?: Optional<AuthenticatorFlags> | undefined
  readonly counter?: number | undefined
  /** Id of a new credential. Default: 32 random bytes. */
  readonly credentialId?: Bytes | undefined
  /** Sent instead of the new credential's key. */
  readonly coseKey?: CborMap | undefined
  /** Default: `none`. */
  readonly attestation?: Attestation | undefined
  /** Changes the signature. */
  readonly signature?: ((signature: Bytes) => Bytes) | undefined
  /** Base64url. Null leaves it out. */
  readonly userHandle?: string | null | undefined
  /** Base64url id of the credential that it claims to be. */
  readonly claimedId?: string | undefined
}
