// Imported as `@latchkey/elysia`.
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
export type { ElysiaAuthConfig, ElysiaAuthOptions, ElysiaConfigSource } from "./config.js"
export { type GuardedContext, requireAuth } from "./guard.js"
export { ElysiaAuth, type ElysiaAuthPlugin } from "./handler.js"
