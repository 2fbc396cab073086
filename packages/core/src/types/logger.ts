import type { AuthErrorType, FailureKind } from "../errors/auth-error.js"

/** Codes that the service passes to `logger.warn`. */
export type WarningCode =
  | "debug-enabled"
  | "csrf-disabled"
  | "experimental-webauthn"
  | "env-url-basepath-redundant"
  | "env-url-basepath-mismatch"
  | "env-url-invalid"
  | "short-secret"
  | "weak-secret"
  | "insecure-url"
  | "checks-none"
  | "email-linking-enabled"
  | "email-linking-unproven"
  | "host-code-slow"
  | "client-address-unknown"
  | "proxy-not-trusted"
  | "mail-withheld"

/** Where the service reports. A host may replace each function on its own. */
export interface LoggerInstance {
  error(error: Error): void
  warn(code: WarningCode): void
  debug(message: string, metadata?: unknown): void
  /**
   * Is told of each sign-in, sign-out, new or changed user, linked account and failure, once. Reading a session that is
   * there or absent makes no record. Without this function no record is made.
   */
  record?(record: LogRecord): void
}

/** What went well. */
export type SuccessKind = "sign-in" | "sign-out" | "user-created" | "user-updated" | "account-linked"

interface RecordOfRequest {
  /** When it was written: RFC 3339, UTC, milliseconds. */
  readonly time: string
  /**
   * The same in all records of one request: what the integration or the header `X-Request-Id` says, if that is 1 to 128
   * plain characters, else a random id.
   */
  readonly requestId: string
  /** Id of the configured provider that it is about. */
  readonly providerId?: string
  /** Id of the user, where it is known who that is. */
  readonly userId?: string
}

/** Something that was asked for and done. */
export interface SuccessRecord extends RecordOfRequest {
  readonly outcome: "success"
  readonly kind: SuccessKind
}

/** Something that was refused, or failed. */
export interface FailureRecord extends RecordOfRequest {
  readonly outcome: "failure"
  readonly kind: FailureKind
  /** The error's type. */
  readonly error: AuthErrorType
  /** The error's reference, which also stands on the visitor's page. `logger.error` gets the error itself. */
  readonly reference: string
}

/**
 * One line of an audit log: what happened, when, by which provider, to whom, in which request. Ids and fixed words
 * alone: no address, no message, nothing that a visitor typed.
 */
export type LogRecord = SuccessRecord | FailureRecord
