import type { CommonProvider } from "./common-provider.js"
import type { CredentialInput } from "./credentials-provider.js"

/** Signs people in with a passkey or security key. Needs `experimental.enableWebAuthn`. */
export interface WebAuthnConfig extends CommonProvider {
  readonly type: "webauthn"
  readonly formFields?: Readonly<Record<string, CredentialInput>>
  readonly enableConditionalUI?: boolean
  readonly simpleWebAuthnBrowserVersion?: string | false
  readonly [option: string]: unknown
}
