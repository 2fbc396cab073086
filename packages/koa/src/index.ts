// Imported as `@latchkey/koa`.
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
export type { RequestAuth, SignInRequest, SignOutRequest } from "@latchkey/core/integration"
export { signOutEverywhere } from "@latchkey/node"
export type { KoaAuthConfig, KoaAuthOptions, KoaConfigSource } from "./config.js"
export { requireAuth } from "./guard.js"
export { KoaAuth } from "./handler.js"
export { endOtherSessions, endSession, getAccessToken, listSessions, requireFresh } from "./signed-in-user.js"
