// Imported as `@latchkey/core/errors`.
export { AuthError, type ErrorCause, type ErrorKind } from "./auth-error.js"
export * from "./configuration.js"
export { CredentialsSignin } from "./credentials-signin.js"
export * from "./flow.js"
export { InvalidRequest } from "./invalid-request.js"
export * from "./request.js"
export * from "./sign-in.js"
export type { AuthErrorType } from "./type.js"
