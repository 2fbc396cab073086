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
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { AuthPluginOptions, FastifyAuthConfig, FastifyConfigSource } from "./config.js"
export type { RequireAuth } from "./guard.js"
export { authPlugin } from "./handler.js"
