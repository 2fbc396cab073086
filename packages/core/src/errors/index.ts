// Imported as `@latchkey/core/errors`.
export { AuthError, type AuthErrorType, type ErrorCause, type ErrorKind, type FailureKind } from "./auth-error.js"
export * from "./errors.js"
export { type ErrorReason, type FailureFacts, type FailureReason, findErrorReason } from "./failure-reason.js"
