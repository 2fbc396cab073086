import type { ResponseCookie } from "../contract/response.js"

/**
 * A failure whose answer must set cookies all the same: spent check cookies are cleared, whatever came of the flow.
 * Caught where every error is caught; only the error inside is logged.
 */
export class Refusal extends Error {
  readonly error: unknown
  readonly cookies: readonly ResponseCookie[]

  constructor(error: unknown, cookies: readonly ResponseCookie[]) {
    super("refused")
    this.error = error
    this.cookies = cookies
  }
}
