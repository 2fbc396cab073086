// Imported as `@latchkey/solid-start`.
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
export { signIn, signOut } from "./actions.js"
export type { SolidAuthConfig, SolidEvent } from "./config.js"
export { SolidAuth, type SolidAuthHandler, type SolidAuthHandlers } from "./handler.js"
export { auth, getSession } from "./session.js"
