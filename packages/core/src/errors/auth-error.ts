type Details = Readonly<Record<string, unknown>>
/** What is known of why it happened: the error behind it as `err`, and details that a log may hold. */
export type ErrorCause = Details & { readonly err?: Error }

/**
 * Base of every failure that the service knows. The message is for the server's log and never reaches a browser;
 * `cause.err` holds the original error untouched.
 */
export class AuthError extends Error {
  /** Tells the classes apart, also where several copies of this package are loaded. */
  readonly type: AuthErrorType = "AuthError"
  declare readonly cause?: ErrorCause
  #reference: string | undefined

  /**
   * @param message Text for the log, or the error that caused this one, or details of the cause.
   * @param cause The error that caused this one, or details (an error among them as `err`).
   */
  constructor(message?: string | Error | ErrorCause, cause?: Error | ErrorCause) {
    super(toMessage(message), toOptions(message, cause))
    // As writable as the name of any error: hosts give their subclasses names of their own.
    const set = (value: string) => Object.defineProperty(this, "name", { value, writable: true, configurable: true })
    Object.defineProperty(this, "name", { get: () => this.type, set, configurable: true })
  }

  /** The built-in page on which the error ends. */
  get kind(): ErrorKind {
    return getErrorPage(this).page
  }

  /** Short text that the visitor's page and the server's log share, such as `7F3K-Q2`. */
  get reference(): string {
    this.#reference ??= createReference()
    return this.#reference
  }
}

function toMessage(message: string | Error | ErrorCause | undefined): string | undefined {
  if (typeof message === "string") return message
  if (message instanceof Error) return message.message
  return message?.err?.message
}

function toOptions(
  message: string | Error | ErrorCause | undefined,
  cause: Error | ErrorCause | undefined,
): ErrorOptions {
  const merged = { ...(typeof message === "string" ? {} : toCause(message)), ...toCause(cause) }
  return Object.keys(merged).length > 0 ? { cause: merged } : {}
}

function toCause(value: Error | ErrorCause | undefined): ErrorCause {
  if (value === undefined) return {}
  if (!(value instanceof Error)) return value
  const inner = value instanceof AuthError ? value.cause : undefined
  return { ...inner, err: value }
}

/** The `type` of every error class. */
export type AuthErrorType =
  | "AccessDenied"
  | "AccountNotLinked"
  | "AdapterError"
  | "AuthError"
  | "CallbackRouteError"
  | "CredentialsSignin"
  | "DuplicateConditionalUI"
  | "EmailSignInError"
  | "ErrorPageLoop"
  | "EventError"
  | "ExperimentalFeatureNotEnabled"
  | "InvalidCallbackUrl"
  | "InvalidCheck"
  | "InvalidConfiguration"
  | "InvalidEndpoints"
  | "InvalidProvider"
  | "InvalidRequest"
  | "JWTSessionError"
  | "MissingAdapter"
  | "MissingAdapterMethods"
  | "MissingAuthorize"
  | "MissingCSRF"
  | "MissingSecret"
  | "MissingWebAuthnAutocomplete"
  | "OAuthAccountNotLinked"
  | "OAuthCallbackError"
  | "OAuthProfileParseError"
  | "OAuthSignInError"
  | "SessionTokenError"
  | "SignOutError"
  | "TooManyRequests"
  | "UnknownAction"
  | "UnsupportedStrategy"
  | "UntrustedHost"
  | "Verification"
  | "WebAuthnVerificationError"

/** The built-in page on which an error ends. */
export type ErrorKind = "signIn" | "error"

/** The codes that a visitor may see in the `error` query of a page. */
type PublicErrorCode =
  | "AccessDenied"
  | "AccountNotLinked"
  | "Configuration"
  | "CredentialsSignin"
  | "EmailSignin"
  | "MissingCSRF"
  | "OAuthAccountNotLinked"
  | "OAuthCallbackError"
  | "OAuthSignin"
  | "TooManyRequests"
  | "Verification"
  | "WebAuthnVerificationError"

/** The page on which an error ends, what its query says, and what the log calls it. */
export interface ErrorPage {
  readonly page: ErrorKind
  readonly error: PublicErrorCode
  readonly concerns: FailureKind
}

/** Nothing that the visitor could mend, or should know. */
const hidden = (concerns: FailureKind): ErrorPage => ({ page: "error", error: "Configuration", concerns })

/**
 * Exhaustive: a new error type does not compile before it has a landing here.
 * @internal Exported for its test.
 */
export const errorPages: Readonly<Record<AuthErrorType, ErrorPage>> = {
  AccessDenied: { page: "error", error: "AccessDenied", concerns: "permission" },
  AccountNotLinked: { page: "signIn", error: "AccountNotLinked", concerns: "linking" },
  AdapterError: hidden("adapter"),
  AuthError: hidden("service"),
  CallbackRouteError: hidden("provider"),
  CredentialsSignin: { page: "signIn", error: "CredentialsSignin", concerns: "credentials" },
  DuplicateConditionalUI: hidden("config"),
  EmailSignInError: { page: "signIn", error: "EmailSignin", concerns: "input" },
  ErrorPageLoop: hidden("config"),
  EventError: hidden("event"),
  ExperimentalFeatureNotEnabled: hidden("config"),
  InvalidCallbackUrl: hidden("url"),
  InvalidCheck: hidden("check"),
  InvalidConfiguration: hidden("config"),
  InvalidEndpoints: hidden("config"),
  InvalidProvider: hidden("provider"),
  InvalidRequest: hidden("input"),
  JWTSessionError: hidden("session"),
  MissingAdapter: hidden("config"),
  MissingAdapterMethods: hidden("config"),
  MissingAuthorize: hidden("config"),
  MissingCSRF: { page: "signIn", error: "MissingCSRF", concerns: "csrf" },
  MissingSecret: hidden("config"),
  MissingWebAuthnAutocomplete: hidden("config"),
  OAuthAccountNotLinked: { page: "signIn", error: "OAuthAccountNotLinked", concerns: "linking" },
  OAuthCallbackError: { page: "signIn", error: "OAuthCallbackError", concerns: "provider" },
  OAuthProfileParseError: hidden("provider"),
  OAuthSignInError: { page: "signIn", error: "OAuthSignin", concerns: "provider" },
  SessionTokenError: hidden("session"),
  SignOutError: hidden("session"),
  TooManyRequests: { page: "signIn", error: "TooManyRequests", concerns: "rate-limit" },
  UnknownAction: hidden("input"),
  UnsupportedStrategy: hidden("config"),
  UntrustedHost: hidden("host"),
  Verification: { page: "error", error: "Verification", concerns: "verification" },
  WebAuthnVerificationError: { page: "error", error: "WebAuthnVerificationError", concerns: "webauthn" },
}

/** Where an error ends. What is not ours is a fault of the service, which the visitor cannot mend. */
export function getErrorPage(error: { readonly type: AuthErrorType } | null): ErrorPage {
  return error && Object.hasOwn(errorPages, error.type) ? errorPages[error.type] : errorPages.AuthError
}

/** What a failure is about, for whoever searches a log. */
export const failureKinds = [
  /** The host's adapter failed. */
  "adapter",
  /** A state, a nonce, a code verifier or a challenge is absent, foreign, expired or wrong. */
  "check",
  /** The configuration cannot work. */
  "config",
  /** The host's `authorize` refused. */
  "credentials",
  /** The CSRF token is absent or wrong, or the form is another site's. */
  "csrf",
  /** An event handler of the host failed. The flow went on. */
  "event",
  /** The host that the request names. */
  "host",
  /** A request that cannot be read, or asks for what there is not. */
  "input",
  /** An account or an address belongs to somebody else. */
  "linking",
  /** The host's `signIn` callback refused. */
  "permission",
  /** An identity provider or a mail service failed, or answered what cannot be accepted. */
  "provider",
  /** A budget is spent. */
  "rate-limit",
  /** What has no kind of its own: the host's code, or the service itself. */
  "service",
  /** A session could not be begun, read or ended. */
  "session",
  /** A token of an identity provider is not what it should be. */
  "token",
  /** A `callbackUrl` that is none. */
  "url",
  /** A mailed link. */
  "verification",
  /** A passkey did not verify. */
  "webauthn",
] as const

export type FailureKind = (typeof failureKinds)[number]

/** Crockford's base 32: no letter that reads like a digit. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A short random text that a person can read out over the phone: `7F3K-Q2`. */
function createReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  const text = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** JavaScript can throw anything. What is not an error becomes one, without its text, which may hold a secret. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`A value of type ${typeof thrown} was thrown`)
}
