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
