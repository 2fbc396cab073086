// Imported as `@latchkey/express`.
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
export type { ExpressAuthConfig } from "./config.js"
export { ExpressAuth } from "./handler.js"
export { auth, currentSession, getSession, requireAuth } from "./session.js"
