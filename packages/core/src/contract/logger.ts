/** Codes that the service passes to `logger.warn`. */
export type WarningCode =
  | "debug-enabled"
  | "csrf-disabled"
  | "experimental-webauthn"
  | "env-url-basepath-redundant"
  | "env-url-basepath-mismatch"
  | "short-secret"
  | "insecure-url"
  | "checks-none"
  | "email-linking-enabled"
  | "redirect-callback-invalid"
  | "host-code-slow"

/** Where the service reports. A host may replace each function on its own. */
export interface LoggerInstance {
  error(error: Error): void
  warn(code: WarningCode): void
  debug(message: string, metadata?: unknown): void
}
