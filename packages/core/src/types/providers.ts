import type { User } from "@latchkey/types"
import type { Adapter } from "./adapter.js"
import type { Awaitable, CommonProvider, customFetch, Theme } from "./basics.js"
import type { OAuth2Config, OIDCConfig } from "./oauth-provider.js"

/**
 * A provider as a host lists it. `never` stands for the profile, which only the provider's own callback understands.
 */
export type ProviderConfig = OAuth2Config<never> | OIDCConfig<never> | EmailConfig | CredentialsConfig | WebAuthnConfig

/** A provider, or a factory that is called with what the environment says. */
export type Provider = ProviderConfig | ((options: never) => ProviderConfig)

/** One field of the built-in form: the attributes of its `input`. */
export interface CredentialInput {
  readonly label?: string
  readonly type?: string
  readonly value?: string
  readonly placeholder?: string
  readonly [attribute: string]: string | number | boolean | undefined
}

/** What a visitor typed: untrusted text by field name. */
export type SubmittedCredentials = Readonly<Partial<Record<string, unknown>>>

/** Signs people in by what the host asks them for, usually a name and a password. */
export interface CredentialsConfig<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProvider {
  readonly type: "credentials"
  readonly credentials?: Fields
  /**
   * Who this is, or null. Throw `CredentialsSignin` to refuse with a code of your own. With stored sessions the
   * returned `id` must be that of a user whom the adapter knows.
   */
  readonly authorize?: (credentials: Partial<Record<keyof Fields, unknown>>, request: Request) => Awaitable<User | null>
  readonly options?: Partial<Omit<CredentialsConfig<Fields>, "type" | "options">>
}

/** What the host's send function is given. The link is `url`; nothing else needs to be in the mail. */
export interface VerificationRequestParams {
  /** The normalised address. */
  readonly identifier: string
  readonly url: string
  readonly expires: Date
  readonly provider: EmailConfig
  /** The secret that `url` carries. Never log it. */
  readonly token: string
  readonly theme: Theme
  readonly request: Request
}

/** Signs people in by a link that is sent to their address. */
export interface EmailConfig extends CommonProvider {
  readonly type: "email"
  /** How long a link works, in seconds. Default: 86400. */
  readonly maxAge?: number
  readonly from?: string
  /** Where mail is handed over; what it holds depends on the sender. */
  readonly server?: unknown
  /** Key of a sender over HTTP. Default: `AUTH_<ID>_KEY`. */
  readonly apiKey?: string
  /** Hashes tokens instead of the service's secret. */
  readonly secret?: string
  /** Default: 32 random bytes in hexadecimal. */
  readonly generateVerificationToken?: () => Awaitable<string>
  /** Default: one plain address in lower case. Throws when there is none. */
  readonly normalizeIdentifier?: (identifier: string) => string
  readonly sendVerificationRequest: (params: VerificationRequestParams) => Awaitable<unknown>
  readonly style?: { readonly brandColor?: string; readonly logo?: string }
  /** Calls the mail service of a sender over HTTP. Default: the platform's `fetch`. */
  readonly [customFetch]?: typeof fetch
  readonly options?: EmailUserConfig
}

/** What a host passes to a factory: any field of the provider except its type. */
export type EmailUserConfig = Partial<Omit<EmailConfig, "type" | "options">>

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
