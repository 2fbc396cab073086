import type { Adapter } from "./adapter.js"
import type { Awaitable } from "./awaitable.js"
import type { CommonProvider } from "./common-provider.js"
import type { CredentialInput } from "./credentials-provider.js"
import type { User } from "./user.js"

/** For whom passkeys are made. Of a list the first value that fits the request's host counts, else the first. */
export interface RelyingParty {
  /**
   * A registrable suffix of the host, such as `example.com` for `app.example.com`. Default: the request's host name.
   */
  readonly id: string | readonly string[]
  /** Shown by browsers and devices. Default: the request's host. */
  readonly name: string | readonly string[]
  /** Origins whose pages may use the passkeys; every one of a list. Default: the request's origin. */
  readonly origin: string | readonly string[]
}

/** What the host's own functions get of the service. */
export interface WebAuthnContext {
  readonly provider: WebAuthnConfig
  readonly adapter: Adapter
  readonly url: URL
}

/** What the host's own functions get of the request. Untrusted. */
export interface WebAuthnRequest {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Who asks: somebody whom the store knows, somebody who would be new, or nobody who could be told. */
export type WebAuthnUserInfo =
  | { readonly exists: true; readonly user: User }
  | { readonly exists: false; readonly user: Omit<User, "id"> }
  | null

/** Null: the request names nobody. */
export type GetUserInfo = (context: WebAuthnContext, request: WebAuthnRequest) => Awaitable<WebAuthnUserInfo>

/** Decides for whom passkeys are made, request by request. */
export type GetRelayingParty = (context: WebAuthnContext, request: WebAuthnRequest) => Awaitable<RelyingParty>

type Requirement = "required" | "preferred" | "discouraged"

/** What is asked of a device that signs in. */
export interface AuthenticationOptions {
  /** Milliseconds. Default: 300000. A challenge lives 15 minutes. */
  readonly timeout?: number
  /** Default: `preferred`. With `required` a response without user verification is refused. */
  readonly userVerification?: Requirement
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** What is asked of a device that makes a passkey. */
export interface RegistrationOptions {
  /** Milliseconds. Default: 300000. A challenge lives 15 minutes. */
  readonly timeout?: number
  /** WebAuthn level 3, section 5.4.4. */
  readonly authenticatorSelection?: {
    readonly authenticatorAttachment?: "platform" | "cross-platform"
    readonly residentKey?: Requirement
    readonly requireResidentKey?: boolean
    /** With `required` a response without user verification is refused. */
    readonly userVerification?: Requirement
  }
  /** Default: `none`; then statements that carry certificates are refused, for nobody asked for them. */
  readonly attestationType?: "none" | "direct" | "enterprise"
  /** COSE algorithms, best first. Default: EdDSA (-8), ES256 (-7), RS256 (-257). */
  readonly supportedAlgorithmIDs?: readonly number[]
  readonly preferredAuthenticatorType?: "securityKey" | "localDevice" | "remoteDevice"
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** How a response is judged, where that is not to follow from what was asked. */
export interface VerificationOptions {
  /** Default: whether user verification was asked for as `required`. */
  readonly requireUserVerification?: boolean
  /** Pages on whose behalf an embedded frame may use passkeys. Default: none, frames of other origins are refused. */
  readonly expectedTopOrigin?: string | readonly string[]
}

/** Signs people in with a passkey or security key. Needs `experimental.enableWebAuthn` and an adapter. */
export interface WebAuthnConfig extends CommonProvider {
  readonly type: "webauthn"
  /** Spelt as existing configurations have it. */
  readonly relayingParty?: Partial<RelyingParty>
  /** Decides the relying party by request, in place of `relayingParty`. */
  readonly getRelayingParty?: GetRelayingParty
  /** Who asks for options without being signed in. Default: by the `email` of the query. */
  readonly getUserInfo?: GetUserInfo
  readonly authenticationOptions?: AuthenticationOptions
  readonly registrationOptions?: RegistrationOptions
  readonly verifyAuthenticationOptions?: VerificationOptions
  readonly verifyRegistrationOptions?: VerificationOptions
  /** Fields of the built-in form. Default of the factories: `email`. */
  readonly formFields?: Readonly<Record<string, CredentialInput>>
  /**
   * Whether the sign-in page offers passkeys among what the browser fills in. One provider may. Default of the
   * factories: true.
   */
  readonly enableConditionalUI?: boolean
  /**
   * Release of the browser script for hosts that load one by its number (`v14.0.0`), or false. The built-in pages need
   * none.
   */
  readonly simpleWebAuthnBrowserVersion?: string | false
  /**
   * Whether somebody who is not signed in may make an account with a passkey alone. Default: true. With false nothing
   * that a stranger can ask tells which accounts exist.
   */
  readonly enableSignUp?: boolean
  /** Whether options for somebody unknown list made-up credentials, so that they look like anybody's. Default: true. */
  readonly decoyCredentials?: boolean
  /**
   * Whether passkeys work whose user handle this service did not make: those that were registered before the app moved
   * here. Default: false.
   */
  readonly acceptForeignUserHandles?: boolean
  readonly options?: WebAuthnUserConfig
}

/** What a host passes to a factory: any field of the provider except its type. */
export type WebAuthnUserConfig = Partial<Omit<WebAuthnConfig, "type" | "options">>
