import type { AuthErrorType, FailureKind } from "../errors/auth-error.js"
import type { FailureFacts, FailureReason } from "../errors/failure-reason.js"

/** Your own logger. Functions that are left out fall back to the console; one that throws never fails a request. */
export interface LoggerInstance {
  /** Logs a failure. `error.cause` holds the original error and details such as the provider's id. */
  error(error: Error): void
  /**
   * Logs a warning about the configuration or the environment. `detail` is a sentence that names the option, for codes
   * that can have several causes.
   */
  warn(code: WarningCode, detail?: string): void
  /** Logs a debug message. `metadata` may contain personal data. */
  debug(message: string, metadata?: unknown): void
  /**
   * Gets one record for each failure, and for each action that changed something, such as a sign-in or a linked account.
   * Reading a session makes no record. Without this function no records are created.
   */
  record?(record: LogRecord): void
}

/** Codes that are passed to `logger.warn`. */
export type WarningCode =
  | "debug-enabled"
  | "csrf-disabled"
  // No longer logged; loggers of hosts may still compare with it.
  | "experimental-webauthn"
  | "env-url-basepath-redundant"
  | "env-url-basepath-mismatch"
  | "env-url-invalid"
  | "short-secret"
  | "weak-secret"
  | "secret-blank"
  | "insecure-url"
  | "address-mismatch"
  | "host-unconfigured"
  | "checks-none"
  | "email-linking-enabled"
  | "email-linking-unproven"
  | "email-unproven"
  | "once-per-process"
  | "host-code-slow"
  | "account-unnamed"
  | "client-address-unknown"
  | "proxy-not-trusted"
  | "proxy-trust-too-wide"
  | "mail-withheld"
  | "notice-not-sent"
  | "user-field-lost"
  | "breached-list-unavailable"
  | "large-session"
  | "session-not-adopted"
  | "accept-over"
  | "accept-user-unknown"
  | "accept-memory"
  | "session-of-other-secret"
  | "picture-left-out"
  | "cookies-full"
  | "session-callback-empty"
  | "option-unknown"
  | "option-ineffective"
  | "provider-unusable"
  | "secret-missing"
  | "tables-missing"
  | "redirect-proxy-origins"
  | "keys-unsound"

/**
 * One line of an audit log: what happened, when, with which provider, for which user, in which request. It holds ids and
 * constants only: no email address, no message, nothing that a visitor typed. The facts of a failure also have numbers and the
 * hosts that a request named.
 */
export type LogRecord = SuccessRecord | FailureRecord

/** The record of an action that succeeded. */
export interface SuccessRecord extends RequestRecord {
  /** Tells success and failure apart. */
  readonly outcome: "success"
  /** What happened. */
  readonly kind: SuccessKind
}

/** The record of an action that was refused or failed. */
export interface FailureRecord extends RequestRecord {
  /** Tells success and failure apart. */
  readonly outcome: "failure"
  /** What the failure is about. */
  readonly kind: FailureKind
  /** The error's type. */
  readonly error: AuthErrorType
  /** The error's reference, which the error page shows too. `logger.error` gets the error itself. */
  readonly reference: string
  /** Why, more exactly than `error` says, if that is known. */
  readonly reason?: FailureReason
  /** What belongs to the reason: numbers, booleans, hosts, names of options, and the `error` of a provider. */
  readonly facts?: FailureFacts
}

/** What succeeded. */
export type SuccessKind = SignInSuccess | FactorSuccess | AccountSuccess | "password-changed"

type AccountSuccess =
  | "email-changed"
  | "email-restored"
  | "data-exported"
  | "deletion-planned"
  | "deletion-postponed"
  | "deletion-canceled"
  | "user-deleted"

type SignInSuccess =
  | "sign-in"
  | "app-sign-in"
  | "session-moved"
  | "sign-out"
  | "user-created"
  | "user-updated"
  | "account-linked"
  | "account-unlinked"
  | "sessions-ended"
type FactorSuccess = "factor-added" | "factor-removed" | "recovery-code-used" | "confirmed"

interface RequestRecord {
  /** When the record was written: RFC 3339, UTC, with milliseconds. */
  readonly time: string
  /**
   * The same in all records of one request: the id from the integration or from the header `X-Request-Id` if it has 1
   * to 128 plain characters, else a random id.
   */
  readonly requestId: string
  /** Id of the configured provider. */
  readonly providerId?: string
  /** Id of the user, if known. */
  readonly userId?: string
}
