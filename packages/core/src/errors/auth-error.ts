import { type ErrorKind, getLanding } from "./landing.js"
import { createReference } from "./reference.js"
import type { AuthErrorType } from "./type.js"

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
    return getLanding(this).page
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
