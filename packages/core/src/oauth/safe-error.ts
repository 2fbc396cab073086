import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi"
import { AuthError } from "../errors/auth-error.js"
import { toLogCode } from "./log-text.js"
import { ProviderError } from "./provider-error.js"

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
