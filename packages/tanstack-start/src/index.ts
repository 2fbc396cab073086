// Imported as `@latchkey/tanstack-start`.
export {
  type Account,
  type AuthConfig,
  customFetch,
  type DefaultSession,
  type Profile,
  type Session,
  type User,
} from "@latchkey/core"
export { AuthError, CredentialsSignin } from "@latchkey/core/errors"
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { StartAuthConfig, StartAuthOptions, StartConfigSource } from "./config.js"
export {
  requireAuth,
  StartAuth,
  type StartAuthResult,
  type StartMiddlewareOptions,
  type StartResult,
} from "./handler.js"
export { getAuth } from "./session.js"
