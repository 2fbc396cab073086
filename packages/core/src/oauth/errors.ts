import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi"
import { AuthError } from "../errors/auth-error.js"

/** What this service calls at a provider. */
export type EndpointKind = "authorization" | "discovery" | "jwks" | "pushed-authorization" | "token" | "userinfo"

interface ProviderErrorFacts {
  /** Tells the failures apart; a code of the protocol library begins with `OAUTH_`. */
  readonly code: string
  readonly endpoint?: EndpointKind | undefined
  /** HTTP status of the answer. */
  readonly status?: number | undefined
  /** Error code of the protocol, such as `invalid_grant`; RFC 6749 section 5.2. */
  readonly error?: string | undefined
}

/** Failures of a token, whoever found them: this service, or the protocol library. */
const tokenCodes: ReadonlySet<string> = new Set([
  "access-token-hash",
  "algorithm",
  "claim-missing",
  "no-id-token",
  "nonce",
  "not-a-jwt",
  "signature",
  "token-age",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
])

/**
 * A provider could not be reached, or answered something that cannot be accepted. Of the answer it holds the status
 * and the protocol's error code, never a body, a parameter or a token, so that it may be logged as it is.
 */
export class ProviderError extends Error {
  override readonly name: string = "ProviderError"
  readonly code: string
  readonly endpoint?: EndpointKind
  readonly status?: number
  readonly error?: string

  constructor(message: string, { code, endpoint, status, error }: ProviderErrorFacts) {
    super(message)
    this.code = code
    if (endpoint !== undefined) this.endpoint = endpoint
    if (status !== undefined) this.status = status
    if (error !== undefined) this.error = error
  }

  /** Whether it was a token that could not be accepted. */
  get isAboutToken(): boolean {
    // The library has no code of its own for claims that are absent or of another type.
    return tokenCodes.has(this.code) || (this.code === "OAUTH_INVALID_RESPONSE" && this.message.includes("JWT "))
  }
}

/**
 * Any failure of a protocol step as an error that may be logged whole. The protocol library's errors carry bodies,
 * parameters and tokens as their cause; only their message, code and status are taken over. A host's own errors stay.
 */
export function toSafeError(error: unknown): Error {
  if (error instanceof ProviderError || error instanceof AuthError) return error
  // The engine quotes the text that it could not parse.
  if (error instanceof SyntaxError) return new ProviderError("The provider's answer is not JSON", { code: "not-json" })
  if (!(error instanceof Error)) return new ProviderError("Something that is no error was thrown", { code: "unknown" })
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

const unprintable = /[\p{C}\p{Zl}\p{Zp}<>\\]/gu

/**
 * Text from outside as one harmless line: what could end a line, hide or become markup in a log viewer is escaped, and
 * the rest is cut.
 */
export function toLogText(text: string, maxLength = 200): string {
  const line = text
    .slice(0, maxLength)
    .replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return text.length > maxLength ? `${line}...` : line
}

/**
 * An error code of the protocol, RFC 6749 section 5.2, as log text. Real ones are far shorter than what is left of it.
 */
export function toLogCode(code: string): string {
  return toLogText(code, 100)
}
