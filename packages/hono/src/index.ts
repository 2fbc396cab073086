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
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export { fromBindings, type HonoAuthConfig, type HonoAuthOptions, type HonoConfigSource } from "./config.js"
export { requireAuth, requireAuth as verifyAuth } from "./guard.js"
export { authHandler, HonoAuth, initAuthConfig } from "./handler.js"
export { type AuthUser, getAuthUser } from "./session.js"
