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
export type { SignInRequest, SignOutRequest } from "@latchkey/core/integration"
export { signOutEverywhere } from "@latchkey/node"
export { type ExpressExchange, requireFresh, signIn, signOut, updateSession } from "./actions.js"
export type { ExpressAuthConfig } from "./config.js"
export { requireAuth } from "./guard.js"
export { ExpressAuth } from "./handler.js"
export { currentSession, getAccessToken, getSession } from "./session.js"
export { endOtherSessions, endSession, listSessions } from "./user-sessions.js"
