/**
 * Why nothing came of a request. A new code may join, so that a `switch` over it needs a default.
 *
 * - `network`: the service could not be reached. Nothing is known about whether somebody is signed in.
 * - `unavailable`: whatever answered is in trouble, or is not the service: look at the base path, and at `status`.
 * - `refused`: the service refused a session update; its log says why.
 * - `passkey`: the provider is of type `webauthn`, for which `@latchkey/client/webauthn` has a `signIn` of its own.
 */
export type AuthClientErrorCode = "network" | "unavailable" | "refused" | "passkey"

/** Thrown by everything here. The message is for the developer. */
export class AuthClientError extends Error {
  override readonly name = "AuthClientError"
  readonly code: AuthClientErrorCode
  /** Of the answer, where there was one. */
  readonly status: number | undefined

  constructor(code: AuthClientErrorCode, message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.code = code
    this.status = options.status
  }
}
