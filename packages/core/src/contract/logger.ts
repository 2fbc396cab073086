import type { LogRecord } from "./log-record.js"

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
