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
export type { SignInRequest } from "@latchkey/core/integration"
export { type ExpressExchange, signIn, signOut, updateSession } from "./act.js"
export { currentSession } from "./current-session.js"
export { ExpressAuth, type ExpressAuthConfig } from "./express-auth.js"
export { getSession } from "./get-session.js"
export { requireAuth } from "./require-auth.js"
