import type { ResponseCookie } from "../contract/response.js"

/**
 * A failure whose answer must set cookies all the same: spent check cookies are cleared, whatever came of the flow. Or
 * one of which is known whom it refused. Caught where every error is caught; only the error inside is logged.
 */
export class Refusal extends Error {
  readonly error: unknown
  readonly cookies: readonly ResponseCookie[]
  /** Id of the stored user who was refused. */
  readonly userId: string | undefined

  constructor(error: unknown, cookies: readonly ResponseCookie[], userId?: string) {
    super("refused")
    this.error = error
    this.cookies = cookies
    this.userId = userId
  }
}
