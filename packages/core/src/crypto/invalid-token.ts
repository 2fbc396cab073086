/**
 * A token is malformed, tampered with, expired, not valid yet, or encrypted for another purpose or with an unknown
 * secret. Always the same words: whoever sent the token must not learn which.
 */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken"

  constructor() {
    super("The token is invalid or has expired.")
  }
}
