// Imported as `@latchkey/core/errors`.
export { AuthError, type AuthErrorType, type ErrorCause, type ErrorKind, type FailureKind } from "./auth-error.js"
export * from "./errors.js"
export type { FailureFacts, FailureReason } from "./failure-reason.js"
export { type ErrorReason, findErrorReason } from "./reason.js"
