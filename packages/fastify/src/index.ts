// Imported as `@latchkey/fastify`.
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
export type { AuthPluginOptions, FastifyAuthConfig, FastifyConfigSource } from "./config.js"
export type { Authenticate } from "./guard.js"
export { authPlugin } from "./handler.js"
export { type FastifyExchange, getAccessToken, getSession, requireFresh } from "./session.js"
export { endOtherSessions, endSession, listSessions } from "./user-sessions.js"
