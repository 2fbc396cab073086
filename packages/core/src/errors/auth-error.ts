/**
 * Base class of all errors of the service. The message is for the server's log and never reaches a browser;
 * `cause.err` is the original error.
 */
export class AuthError extends Error {
  /** The `type` of the errors of a class. A subclass of yours may set its own: the log names it. */
  static readonly type: string = "AuthError"
  /** The built-in page that shows the errors of a class. A subclass of yours may set it. Default: that of its base. */
  static readonly kind: ErrorKind | undefined = undefined
  /** Identifies the class, even if several copies of this package are loaded. */
  readonly type: AuthErrorType
  declare readonly cause?: ErrorCause
  #reference: string | undefined

  /**
   * @param message Text for the log, or the original error, or details of the cause.
   * @param cause The original error, or details (with an original error as `err`).
   */
  constructor(message?: string | Error | ErrorCause, cause?: Error | ErrorCause) {
    super(toMessage(message), toOptions(message, cause))
    this.type = new.target.type as AuthErrorType // One of the app's own has the text that the app chose.
    // Writable like the name of any error: apps name their subclasses.
    const set = (value: string) => Object.defineProperty(this, "name", { value, writable: true, configurable: true })
    Object.defineProperty(this, "name", { get: () => this.type, set, configurable: true })
  }

  /** The built-in page that shows the error. */
  get kind(): ErrorKind {
    return getErrorPage(this).page
  }

  /** Short id such as `7F3K-Q2`. The error page shows it, so that you can search for it in your logs. */
  get reference(): string {
    this.#reference ??= createReference()
    return this.#reference
  }
}

/** Why an error happened: the original error as `err`, and details that are safe to log. */
export type ErrorCause = Details & { readonly err?: Error }
type Details = Readonly<Record<string, unknown>>

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

/** Crockford's base 32: no letter that looks like a digit. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A short random id that can be read out over the phone. */
function createReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  const text = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")
  return `${text.slice(0, 4)}-${text.slice(4)}`
}

/** Converts a thrown value to an error. Text is dropped, because it may be a secret. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`A value of type ${typeof thrown} was thrown`)
}

/** The `type` of every error class. */
export type AuthErrorType =
  | "AccessDenied"
  | "AccessTokenUnavailable"
  | "AccountNotLinked"
  | "AdapterError"
  | "AuthError"
  | "CallbackRouteError"
  | "CodeSpent"
  | "CodeWrong"
  | "CredentialsSignin"
  | "DuplicateConditionalUI"
  | "EmailSignInError"
  | "ErrorPageLoop"
  | "EventError"
  | "ExperimentalFeatureNotEnabled"
  | "FreshnessRequired"
  | "HeldExpired"
  | "HeldTooLarge"
  | "InvalidCallbackUrl"
  | "InvalidCheck"
  | "InvalidConfiguration"
  | "InvalidEndpoints"
  | "InvalidProvider"
  | "InvalidRequest"
  | "LogoutTokenInvalid"
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
  | "SecondFactorWrong"
  | "SessionTokenError"
  | "SignOutError"
  | "TooManyRequests"
  | "UnknownAction"
  | "UnsupportedStrategy"
  | "UntrustedHost"
  | "Verification"
  | "WebAuthnVerificationError"

/** The built-in page that shows an error. */
export type ErrorKind = "signIn" | "error" | "verifyRequest"

/** The codes that visitors see in the `error` parameter of a page. */
type PublicErrorCode =
  | "AccessDenied"
  | "AccountNotLinked"
  | "CodeWrong"
  | "Configuration"
  | "CredentialsSignin"
  | "EmailSignin"
  | "MissingCSRF"
  | "OAuthAccountNotLinked"
  | "OAuthCallbackError"
  | "OAuthSignin"
  | "SessionRequired"
  | "TooManyRequests"
  | "Verification"
  | "WebAuthnVerificationError"

/** Where an error is shown, and how it is logged. */
export interface ErrorPage {
  readonly page: ErrorKind
  /** The `error` parameter of the page. */
  readonly error: PublicErrorCode
  /** The `kind` of the log record. */
  readonly concerns: FailureKind
}

const shown = (page: ErrorKind, error: PublicErrorCode, concerns: FailureKind): ErrorPage => ({ page, error, concerns })

/** A failure that the visitor cannot fix and should not learn about. */
const hidden = (concerns: FailureKind): ErrorPage => shown("error", "Configuration", concerns)

/**
 * The page of every error type. Exhaustive: a new type does not compile without an entry.
 * @internal Exported for its test.
 */
export const errorPages: Readonly<Record<AuthErrorType, ErrorPage>> = {
  AccessDenied: shown("error", "AccessDenied", "permission"),
  AccessTokenUnavailable: hidden("token"),
  AccountNotLinked: shown("signIn", "AccountNotLinked", "linking"),
  AdapterError: hidden("adapter"),
  AuthError: hidden("service"),
  CallbackRouteError: hidden("provider"),
  CodeSpent: shown("signIn", "Verification", "verification"),
  CodeWrong: shown("verifyRequest", "CodeWrong", "verification"),
  CredentialsSignin: shown("signIn", "CredentialsSignin", "credentials"),
  DuplicateConditionalUI: hidden("config"),
  EmailSignInError: shown("signIn", "EmailSignin", "input"),
  ErrorPageLoop: hidden("config"),
  EventError: hidden("event"),
  ExperimentalFeatureNotEnabled: hidden("config"),
  FreshnessRequired: shown("signIn", "SessionRequired", "permission"),
  HeldExpired: shown("signIn", "SessionRequired", "check"),
  HeldTooLarge: hidden("session"),
  InvalidCallbackUrl: hidden("url"),
  InvalidCheck: hidden("check"),
  InvalidConfiguration: hidden("config"),
  InvalidEndpoints: hidden("config"),
  InvalidProvider: hidden("provider"),
  InvalidRequest: hidden("input"),
  JWTSessionError: hidden("session"),
  LogoutTokenInvalid: hidden("provider"),
  MissingAdapter: hidden("config"),
  MissingAdapterMethods: hidden("config"),
  MissingAuthorize: hidden("config"),
  MissingCSRF: shown("signIn", "MissingCSRF", "csrf"),
  MissingSecret: hidden("config"),
  MissingWebAuthnAutocomplete: hidden("config"),
  OAuthAccountNotLinked: shown("signIn", "OAuthAccountNotLinked", "linking"),
  OAuthCallbackError: shown("signIn", "OAuthCallbackError", "provider"),
  OAuthProfileParseError: hidden("provider"),
  OAuthSignInError: shown("signIn", "OAuthSignin", "provider"),
  SecondFactorWrong: shown("signIn", "SessionRequired", "credentials"),
  SessionTokenError: hidden("session"),
  SignOutError: hidden("session"),
  TooManyRequests: shown("signIn", "TooManyRequests", "rate-limit"),
  UnknownAction: hidden("input"),
  UnsupportedStrategy: hidden("config"),
  UntrustedHost: hidden("host"),
  Verification: shown("error", "Verification", "verification"),
  WebAuthnVerificationError: shown("error", "WebAuthnVerificationError", "webauthn"),
}

/**
 * The page of an error: for one of the app's own, the page of its base class, unless its class has a `kind`. Unknown
 * errors are failures of the service.
 */
export function getErrorPage(error: { readonly type: AuthErrorType } | null): ErrorPage {
  if (error === null) return errorPages.AuthError
  const page = errorPages[findKnownType(error)]
  const kind: unknown = Reflect.get(error.constructor, "kind")
  return kind === "signIn" || kind === "error" ? { ...page, page: kind } : page
}

/** The type of an error: for one of the app's own, that of its base class. */
export function findKnownType(error: { readonly type: AuthErrorType }): AuthErrorType {
  if (isKnownType(error.type)) return error.type
  for (let base: unknown = error.constructor; typeof base === "function"; base = Object.getPrototypeOf(base)) {
    const type: unknown = Reflect.get(base, "type")
    if (isKnownType(type)) return type
  }
  return "AuthError"
}

function isKnownType(type: unknown): type is AuthErrorType {
  return typeof type === "string" && Object.hasOwn(errorPages, type)
}

/** What a failure is about: the `kind` of its log record. */
export const failureKinds = [
  /** The adapter failed. */
  "adapter",
  /** A state, nonce, code verifier or challenge is missing, expired, wrong or from another browser. */
  "check",
  /** The configuration is invalid. */
  "config",
  /** `authorize` refused, or a second factor is wrong. */
  "credentials",
  /** The CSRF token is missing or wrong, or another site sent the form. */
  "csrf",
  /** An event handler failed; the request continued. */
  "event",
  /** The host of the request is not trusted. */
  "host",
  /** The request is malformed, or asks for something that does not exist. */
  "input",
  /** An account or an email address belongs to another user. */
  "linking",
  /** The `signIn` callback refused. */
  "permission",
  /** An identity provider or a mail service failed, or sent an invalid answer. */
  "provider",
  /** A rate limit is exceeded. */
  "rate-limit",
  /** Any other failure of the service or of the app's code. */
  "service",
  /** A session could not be created, read or ended. */
  "session",
  /** A token of an identity provider is invalid. */
  "token",
  /** A `callbackUrl` is invalid. */
  "url",
  /** A mailed link or code is invalid. */
  "verification",
  /** A passkey could not be verified. */
  "webauthn",
] as const

/** What a failure is about. */
export type FailureKind = (typeof failureKinds)[number]
