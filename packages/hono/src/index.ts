// Imported as `@latchkey/hono`.
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
export type { ActionAnswer, SignInRequest, SignOutRequest } from "@latchkey/core/integration"
export { signIn, signOut, updateSession } from "./actions.js"
export { fromBindings, type HonoAuthConfig, type HonoAuthOptions, type HonoConfigSource } from "./config.js"
export { verifyAuth } from "./guard.js"
export { authHandler, HonoAuth, initAuthConfig } from "./handler.js"
export { type AuthUser, getAccessToken, getAuthUser, requireFresh } from "./session.js"
export { endOtherSessions, endSession, listSessions, signOutEverywhere } from "./user-sessions.js"
