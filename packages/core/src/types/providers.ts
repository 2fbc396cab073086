import type { AnyValue, User } from "@latchkey/types"
import type { Locale } from "../messages/locale.js"
import type { Adapter } from "./adapter.js"
import type { Awaitable, CommonProvider, customFetch, Optional, Theme } from "./basics.js"
import type { OAuth2Config, OIDCConfig, ProviderStyle } from "./oauth-provider.js"

/** An entry of `AuthConfig.providers`: a provider, or its factory. */
export type Provider = ProviderConfig | ProviderFactory

/** A provider's factory. When it is listed without being called, its options come from the environment alone. */
export type ProviderFactory = (options?: AnyValue) => ProviderConfig

/** A provider of any type. Only its own `profile` callback knows the fields of the profile, so an inline one gets any. */
export type ProviderConfig =
  | OAuth2Config<AnyValue>
  | OIDCConfig<AnyValue>
  | EmailConfig
  | CredentialsConfig
  | WebAuthnConfig

/** Sign-in with fields that your own code checks, usually a user name and a password. */
export interface CredentialsConfig<Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>>
  extends CommonProvider {
  /** `credentials` for fields that your own code checks. */
  readonly type: "credentials"
  /** The fields of the built-in form, by name. */
  readonly credentials?: Fields | undefined
  /**
   * Returns the user, or null to refuse. Throw `CredentialsSignin` to refuse with your own code. With database sessions
   * the returned `id` must be that of a stored user.
   */
  readonly authorize?:
    | ((credentials: Partial<Record<keyof Fields, unknown>>, request: Request) => Awaitable<User | null>)
    | undefined
  /** The options that were passed to the factory. They override the provider's own fields. */
  readonly options?: Optional<Omit<CredentialsConfig<Fields>, "type" | "options">> | undefined
}

/** One field of the built-in form: the attributes of its `input` element. */
export interface CredentialInput {
  /** Text of the field's label. Default: the field's name. */
  readonly label?: string | undefined
  /** Default: `text`. */
  readonly type?: string | undefined
  /** Initial value. */
  readonly value?: string | undefined
  /** Hint that is shown while the field is empty. */
  readonly placeholder?: string | undefined
  readonly [attribute: string]: string | number | boolean | undefined
}

/** The submitted fields by name. Untrusted. */
export type SubmittedCredentials = Readonly<Partial<Record<string, unknown>>>

/** Sign-in with a link that is mailed to the user. Needs an adapter. */
export interface EmailConfig extends CommonProvider {
  /** `email` for mailed sign-in links. */
  readonly type: "email"
  /** Lifetime of a link in seconds. Default: 86400 (one day). */
  readonly maxAge?: number | undefined
  /** The sender: an address, or `Name <address>`. Default: `no-reply@` and the host of the app. */
  readonly from?: string | undefined
  /** Connection settings of the mail server; their form depends on the sender. */
  readonly server?: AnyValue | undefined
  /** API key of the mail service, for senders over HTTP. Default: `AUTH_<ID>_KEY`. */
  readonly apiKey?: string | undefined
  /**
   * Whether the email has six digits besides the link, to type where the sign-in began. Default: true if the email is
   * ours; false with your own `sendVerificationRequest`, which has to send the `code` that it gets.
   */
  readonly code?: boolean | undefined
  /**
   * Whether the subject of the built-in email has the code, as in "540622 is your code for Harbour". Phones show subjects on
   * locked screens, and mail servers log them. Default: false.
   */
  readonly codeInSubject?: boolean | undefined
  /**
   * What the link does in a browser that did not ask for it, such as that of a mail scanner. `confirm` shows a page with
   * the masked address and a button, `code` a page with the code to type where the sign-in began, and `get` signs in, as
   * Auth.js does. Default: `confirm`.
   */
  readonly opening?: "confirm" | "code" | "get" | undefined
  /** Hashes the tokens in place of the service's secret. */
  readonly secret?: string | undefined
  /** Returns the token of a new link. Default: 32 random bytes in hexadecimal. */
  readonly generateVerificationToken?: (() => Awaitable<string>) | undefined
  /** Normalizes the submitted address, or throws to refuse it. Default: exactly one plain address, in lower case. */
  readonly normalizeIdentifier?: ((identifier: string) => string) | undefined
  /** Sends the email. */
  readonly sendVerificationRequest: (params: VerificationRequestParams) => Awaitable<unknown>
  /** Color and logo of the sign-in button. */
  readonly style?: Pick<ProviderStyle, "brandColor" | "logo"> | undefined
  /** The `fetch` that calls the mail service. Default: the platform's. */
  readonly [customFetch]?: typeof fetch | undefined
  /** The options that were passed to the factory. They override the provider's own fields. */
  readonly options?: EmailUserConfig | undefined
}

/** Options of an email provider's factory: any field of the provider except its type. */
export type EmailUserConfig = Optional<Omit<EmailConfig, "type" | "options">>

/** An email to send, with the same content as text and as HTML. */
export interface MailMessage {
  /** One line. */
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** A whole document. */
  readonly html: string
}

/** Arguments of `sendVerificationRequest`. An email needs nothing but `url`, and `code` if there is one. */
export interface VerificationRequestParams {
  /** The normalized address. */
  readonly identifier: string
  /** The sign-in link. It is a secret; never log it. */
  readonly url: string
  /** When the link expires. */
  readonly expires: Date
  /** The provider with its options. */
  readonly provider: EmailConfig
  /** The secret in `url`. Never log it. */
  readonly token: string
  /** Six digits to type where the sign-in began, if the provider has `code: true`. Mail them in the text, not in the subject. */
  readonly code?: string | undefined
  /** The locale of the request: its language and messages, if the option `languages` is set. */
  readonly locale?: Locale | undefined
  /** The email to send in place of a sign-in email, such as one that confirms a new address. Only the senders of the built-in providers get one. */
  readonly message?: MailMessage | undefined
  /** The configured theme. */
  readonly theme: Theme
  /** The request for the link, with the submitted fields as its JSON body. */
  readonly request: Request
}

/** Sign-in with a passkey or security key. Needs an adapter. */
export interface WebAuthnConfig extends CommonProvider {
  /** `webauthn` for passkeys. */
  readonly type: "webauthn"
  /** The site that passkeys are created for. The misspelling is part of the contract. */
  readonly relayingParty?: Optional<RelyingParty> | undefined
  /** Returns the relying party of a request, in place of `relayingParty`. */
  readonly getRelayingParty?: GetRelayingParty | undefined
  /** Finds the user who asks for options without being signed in. Default: by `email` in the query. */
  readonly getUserInfo?: GetUserInfo | undefined
  /** Options of a sign-in with a passkey. */
  readonly authenticationOptions?: AuthenticationOptions | undefined
  /** Options of the creation of a passkey. */
  readonly registrationOptions?: RegistrationOptions | undefined
  /** How the response to a sign-in is verified. */
  readonly verifyAuthenticationOptions?: VerificationOptions | undefined
  /** How the response to a creation is verified. */
  readonly verifyRegistrationOptions?: VerificationOptions | undefined
  /** The fields of the built-in form, by name. Default of the factories: `email`. */
  readonly formFields?: Readonly<Record<string, CredentialInput>> | undefined
  /** Offers passkeys in the browser's autofill on the sign-in page. For one provider at most. Default of the factories: true. */
  readonly enableConditionalUI?: boolean | undefined
  /**
   * Version of the SimpleWebAuthn browser script (`v14.0.0`) for pages that load it, or false. The built-in pages do not
   * need it.
   */
  readonly simpleWebAuthnBrowserVersion?: string | false | undefined
  /**
   * Whether an anonymous visitor may create an account with nothing but a passkey. With false, no answer reveals which
   * accounts exist. Default: true.
   */
  readonly enableSignUp?: boolean | undefined
  /** Lists generated credentials for unknown users, so that their options look like anyone's. Default: true. */
  readonly decoyCredentials?: boolean | undefined
  /**
   * Accepts passkeys with a user handle of another library, from before a migration. Those that Auth.js registered are
   * always accepted. Default: false.
   */
  readonly acceptForeignUserHandles?: boolean | undefined
  /** The options that were passed to the factory. They override the provider's own fields. */
  readonly options?: WebAuthnUserConfig | undefined
}

/** Options of a passkey provider's factory: any field of the provider except its type. */
export type WebAuthnUserConfig = Optional<Omit<WebAuthnConfig, "type" | "options">>

/** The site that passkeys are created for. From a list, the first value that fits the request's host is used, else the first. */
export interface RelyingParty {
  /**
   * The host or a registrable suffix of it, such as `example.com` for `app.example.com`. Default: the request's host
   * name.
   */
  readonly id: string | readonly string[]
  /** Shown by browsers and devices. Default: the request's host. */
  readonly name: string | readonly string[]
  /** Origins whose pages may use the passkeys; all values of a list count. Default: the request's origin. */
  readonly origin: string | readonly string[]
}

/** Returns the relying party of a request. */
export type GetRelayingParty = (context: WebAuthnContext, request: WebAuthnRequest) => Awaitable<RelyingParty>

/** Finds the user who asks for options. Returns null if the request names none. */
export type GetUserInfo = (context: WebAuthnContext, request: WebAuthnRequest) => Awaitable<WebAuthnUserInfo>

/** The user who asks for options: an existing one, a new one, or null. */
export type WebAuthnUserInfo =
  | { readonly exists: true; readonly user: User }
  | { readonly exists: false; readonly user: Omit<User, "id"> }
  | null

/** First argument of `getUserInfo` and `getRelayingParty`. */
export interface WebAuthnContext {
  /** The provider with its options. */
  readonly provider: WebAuthnConfig
  /** The configured adapter. */
  readonly adapter: Adapter
  /** URL of the request. */
  readonly url: URL
}

/** Second argument of `getUserInfo` and `getRelayingParty`: the request. Untrusted. */
export interface WebAuthnRequest {
  /** URL of the request. */
  readonly url: URL
  /** Method of the request. */
  readonly method: "GET" | "POST"
  /** The headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The query parameters, by name. */
  readonly query: Readonly<Record<string, string>>
  /** The fields of the body, if there is one. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/** Options of a sign-in with a passkey, WebAuthn Level 3 section 5.5. */
export interface AuthenticationOptions {
  /** Milliseconds that the browser waits. The challenge is valid for 15 minutes. Default: 300000 (5 minutes). */
  readonly timeout?: number | undefined
  /** PIN or biometrics. `required` refuses a response without it. Default: `preferred`. */
  readonly userVerification?: Requirement | undefined
  /** WebAuthn extensions, by name. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

/** Options of the creation of a passkey, WebAuthn Level 3 section 5.4. */
export interface RegistrationOptions {
  /** Milliseconds that the browser waits. The challenge is valid for 15 minutes. Default: 300000 (5 minutes). */
  readonly timeout?: number | undefined
  /** Which authenticators may be used, WebAuthn Level 3 section 5.4.4. */
  readonly authenticatorSelection?:
    | {
        /** Built into the device (`platform`) or separate (`cross-platform`). Default: both. */
        readonly authenticatorAttachment?: "platform" | "cross-platform" | undefined
        /** Whether the passkey can be used without a user name. */
        readonly residentKey?: Requirement | undefined
        /** WebAuthn Level 1 form of `residentKey: "required"`. */
        readonly requireResidentKey?: boolean | undefined
        /** PIN or biometrics. `required` refuses a response without it. */
        readonly userVerification?: Requirement | undefined
      }
    | undefined
  /** Attestation to request. With `none`, statements that carry certificates are refused. Default: `none`. */
  readonly attestationType?: "none" | "direct" | "enterprise" | undefined
  /** COSE algorithms, preferred first. Default: EdDSA (-8), ES256 (-7), RS256 (-257). */
  readonly supportedAlgorithmIDs?: readonly number[] | undefined
  /** The kind of authenticator that browsers offer first. */
  readonly preferredAuthenticatorType?: "securityKey" | "localDevice" | "remoteDevice" | undefined
  /** WebAuthn extensions, by name. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
}

type Requirement = "required" | "preferred" | "discouraged"

/** How a response is verified, if that differs from what was requested. */
export interface VerificationOptions {
  /** Refuses a response without PIN or biometrics. Default: true if user verification was requested as `required`. */
  readonly requireUserVerification?: boolean | undefined
  /** Origins of pages whose embedded frames may use passkeys. Default: none; frames from other origins are refused. */
  readonly expectedTopOrigin?: string | readonly string[] | undefined
}
