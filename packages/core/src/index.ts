// Imported as `@latchkey/core`. Interfaces that hosts extend by module augmentation are exported with `export *`.

export type * from "@latchkey/types"
export { Auth, respond } from "./auth.js"
export { defineAuth } from "./config/define-auth.js"
export { createActionURL, findConfiguredUrl, setEnvDefaults } from "./config/env.js"
export { AuthError } from "./errors/auth-error.js"
export { CredentialsSignin } from "./errors/errors.js"
export { type HostHeaders, type OriginOptions, resolveOrigin } from "./http/origin.js"
export { isAuthAction } from "./http/request.js"
export { logRejectedRequest, type RejectedRequest } from "./serve.js"
export { customFetch, raw, skipCSRFCheck } from "./types/basics.js"
export type { AuthConfig, SessionOf, SessionOptions } from "./types/config.js"
export type {
  Answer,
  AuthContext,
  IncomingHeaders,
  IncomingRequest,
  ResponseCookie,
  ResponseInternal,
} from "./types/http.js"
export type * from "./types/jwt.js"
export type * from "./types/user.js"
