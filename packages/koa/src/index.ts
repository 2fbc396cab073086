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
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { KoaAuthConfig, KoaAuthOptions, KoaConfigSource } from "./config.js"
export { requireAuth } from "./guard.js"
export { KoaAuth } from "./handler.js"
