import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi"
import { AuthError } from "../errors/auth-error.js"
import { withhold } from "../host/redact.js"

/** The endpoints of a provider that this service or the browser calls. */
export type EndpointKind =
  | "authorization"
  | "discovery"
  | "end-session"
  | "jwks"
  | "pushed-authorization"
  | "revocation"
  | "token"
  | "userinfo"

interface ProviderErrorFacts {
  /** Identifies the failure. Codes of the protocol library start with `OAUTH_`. */
  readonly code: string
  readonly endpoint?: EndpointKind | undefined
  /** HTTP status of the response. */
  readonly status?: number | undefined
  /** Error code of the protocol, such as `invalid_grant`; RFC 6749 section 5.2. */
  readonly error?: string | undefined
  /** The provider's explanation, as log text without secrets. */
  readonly error_description?: string | undefined
}

/** Codes of invalid tokens, found by this service or by the protocol library. */
const tokenCodes: ReadonlySet<string> = new Set([
  "access-token-hash",
  "algorithm",
  "audience",
  "authorized-party",
  "claim-missing",
  "no-id-token",
  "nonce",
  "not-a-jwt",
  "signature",
  "subject",
  "token-age",
  "token-kind",
  "wrong-issuer",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
])

/**
 * A provider could not be reached, or its response was not accepted: a status such as 500, an error, an invalid token.
 * Holds the endpoint, the status and the protocol's error with its description, but never a body, parameter or token, so
 * that it is safe to log. The sign-in ends in the `CallbackRouteError` or `OAuthSignInError` whose cause this is.
 */
export class ProviderError extends Error {
  override readonly name: string = "ProviderError"
  readonly code: string
  readonly endpoint?: EndpointKind
  readonly status?: number
  readonly error?: string
  readonly error_description?: string

  constructor(message: string, { code, endpoint, status, error, error_description }: ProviderErrorFacts) {
    super(message)
    this.code = code
    if (endpoint !== undefined) this.endpoint = endpoint
    if (status !== undefined) this.status = status
    if (error !== undefined) this.error = error
    if (error_description !== undefined) this.error_description = error_description
  }

  /** Whether a token was invalid. */
  get isAboutToken(): boolean {
    // The library has no specific code for claims that are missing or of another type.
    return tokenCodes.has(this.code) || (this.code === "OAUTH_INVALID_RESPONSE" && this.message.includes("JWT "))
  }
}

/** Returns a function that creates the errors of one step, which all concern the same answer. */
export function refusalsOf(
  answer: Pick<ProviderErrorFacts, "endpoint" | "status">,
): (code: string, message: string) => ProviderError {
  return (code, message) => new ProviderError(message, { ...answer, code })
}

/** What a provider answered instead of a result. The texts are untrusted. */
interface RefusedAnswer {
  readonly code: string
  readonly endpoint: EndpointKind
  readonly status: number
  readonly error: unknown
  readonly description: unknown
  /** Texts that the description must not repeat, such as the client secret and the code. */
  readonly secrets: readonly (string | undefined)[]
}

/** Describes an answer with its endpoint, status, error and description, RFC 6749 section 5.2. */
export function createAnswerError(answer: RefusedAnswer): ProviderError {
  const { code, endpoint, status } = answer
  const error = typeof answer.error === "string" && answer.error !== "" ? toLogCode(answer.error) : undefined
  const description = typeof answer.description === "string" ? answer.description : ""
  const error_description = description === "" ? undefined : toLogDescription(description, answer.secrets)
  const named = error === undefined ? "" : ` and the error "${error}"`
  const explained = error_description === undefined ? "" : `: ${error_description.replace(/\.$/, "")}`
  const message = `The ${endpoint} endpoint answered with status ${status}${named}${explained}`
  return new ProviderError(message, { code, endpoint, status, error, error_description })
}

/**
 * The description of an error as log text: providers repeat parameters and addresses in it.
 * @param secrets Texts that it must not repeat, such as the client secret, the code and the state.
 */
export function toLogDescription(description: string, secrets: readonly (string | undefined)[]): string {
  const shown = withhold(description, findTexts(secrets))
  const withoutPeople = shown.replace(word, (text) => (address.test(text) ? "[withheld]" : text))
  return toLogText(
    withoutPeople.replace(jwt, "[withheld]").replace(opaque, (text) => (/\d/.test(text) ? "[withheld]" : text)),
  )
}

/** Shorter texts occur by chance. */
const minSecretLength = 4

/** Longer than a UUID, such as the ID of a request: a nonce, a challenge, a token. */
const opaque = /[\w~+/-]{40,}/g

/** What may be an email address: the text between blanks, quotes, brackets and the delimiters of a query. */
const word = /[^\s"'<>()[\]{},;:=?&|]+/g

/** Whether a word has an email address, also as it is in a URL. */
const address = /.(?:@|%40)[\w-]+\.\w/

/** An encoded JSON object, such as the header of a client assertion or a token, and what follows it. */
const jwt = /\beyJ[\w-]{5,}[\w.-]*/g

/** Also as they are in URLs and forms. */
function findTexts(secrets: readonly (string | undefined)[]): readonly string[] {
  const given = secrets.filter((text): text is string => text !== undefined && text.length >= minSecretLength)
  return given.flatMap((text) => [text, encodeURIComponent(text)])
}

/**
 * Makes any failure of a protocol step safe to log. The protocol library's errors carry bodies, parameters and tokens as
 * their cause; only their message, code and status are kept. Errors of the host's code are returned as they are.
 */
export function toSafeError(error: unknown): Error {
  if (error instanceof ProviderError || error instanceof AuthError) return error
  // The message quotes the text that could not be parsed.
  if (error instanceof SyntaxError)
    return new ProviderError("The provider's response is not JSON", { code: "not-json" })
  if (!(error instanceof Error))
    return new ProviderError("A value that is not an Error was thrown", { code: "unknown" })
  if (isFromProtocolLibrary(error)) {
    return new ProviderError(error.message, {
      code: findCode(error) ?? error.name,
      status: findStatus(error),
      error: findProtocolError(error),
    })
  }
  return error
}

function isFromProtocolLibrary(error: Error): boolean {
  return (
    error instanceof OperationProcessingError ||
    error instanceof UnsupportedOperationError ||
    error instanceof ResponseBodyError ||
    error instanceof WWWAuthenticateChallengeError ||
    error instanceof AuthorizationResponseError ||
    (findCode(error)?.startsWith("ERR_INVALID_ARG") ?? false)
  )
}

function findCode(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined
}

function findStatus(error: Error): number | undefined {
  for (const source of [error, error.cause]) {
    if (typeof source !== "object" || source === null || !("status" in source)) continue
    if (typeof source.status === "number") return source.status
  }
  return undefined
}

function findProtocolError(error: Error): string | undefined {
  if (error instanceof ResponseBodyError) return toLogCode(error.error)
  if (!(error instanceof WWWAuthenticateChallengeError)) return undefined
  const named = error.cause.find((challenge) => challenge.parameters.error !== undefined)
  return named?.parameters.error === undefined ? undefined : toLogCode(named.parameters.error)
}

// A text: an engine looks up the characters of a literal when it reads this file.
const unprintable = String.raw`[\p{C}\p{Zl}\p{Zp}<>\\]`

/** Untrusted text as one line that is safe in a log viewer: escapes control characters and markup, and truncates. */
export function toLogText(text: string, maxLength = 200): string {
  const line = text
    .slice(0, maxLength)
    .replace(new RegExp(unprintable, "gu"), (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return text.length > maxLength ? `${line}...` : line
}

/** An error code of the protocol, RFC 6749 section 5.2, as log text. Real codes are far shorter than the limit. */
export function toLogCode(code: string): string {
  return toLogText(code, 100)
}
