import type { CredentialInput } from "../types/providers.js"

interface ChoiceBasics {
  readonly id: string
  readonly name: string
}

/** A button that leads to the provider's own page. */
export interface OAuthChoice extends ChoiceBasics {
  readonly type: "oauth" | "oidc"
  readonly signinUrl: string
  /** URL of an image, or a `data:image/` URL. */
  readonly logo?: string | undefined
  /** The provider's sign: path data of an SVG, 24 by 24. Shown without a logo. */
  readonly mark?: string | undefined
}

/** A form that asks for an address. */
export interface EmailChoice extends ChoiceBasics {
  readonly type: "email"
  readonly signinUrl: string
}

/** A form that asks for whatever the host wants to know. */
export interface CredentialsChoice extends ChoiceBasics {
  readonly type: "credentials"
  readonly callbackUrl: string
  /** By the name under which each is sent. */
  readonly fields: Readonly<Record<string, CredentialInput>>
}

/** A form that a script completes with a passkey. */
export interface WebAuthnChoice extends ChoiceBasics {
  readonly type: "webauthn"
  readonly callbackUrl: string
  /** By the name under which each is sent. */
  readonly fields: Readonly<Record<string, CredentialInput>>
  readonly scriptUrl: string
  /** Whether the passkey itself says whose it is, so that nothing need be typed. */
  readonly isDiscoverable: boolean
  /** Whether the browser may offer passkeys in the fields of other forms. */
  readonly hasAutofill: boolean
  /** Whether somebody without an account can make one with a passkey. */
  readonly canSignUp: boolean
}

/** One way to sign in, as the sign-in page offers it. */
export type SignInChoice = OAuthChoice | EmailChoice | CredentialsChoice | WebAuthnChoice
