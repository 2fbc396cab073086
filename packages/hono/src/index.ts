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
export type { ActionAnswer, SignInRequest } from "@latchkey/core/integration"
export { signIn, signOut, updateSession } from "./act.js"
export { authHandler } from "./auth-handler.js"
export { type AuthUser, getAuthUser } from "./auth-user.js"
export { fromBindings } from "./from-bindings.js"
export { HonoAuth } from "./hono-auth.js"
export { initAuthConfig } from "./init-auth-config.js"
export type { HonoAuthConfig, HonoAuthOptions, HonoConfigSource } from "./request-state.js"
export { verifyAuth } from "./verify-auth.js"
