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
export { signIn, signOut } from "./actions.js"
export type { SolidAuthConfig, SolidEvent } from "./config.js"
export { SolidAuth, type SolidAuthHandler, type SolidAuthHandlers } from "./handler.js"
export { getAccessToken, getSession, requireFresh } from "./session.js"
export { endOtherSessions, endSession, listSessions, signOutEverywhere } from "./user-sessions.js"
