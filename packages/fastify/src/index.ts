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
export type { SignInRequest } from "@latchkey/core/integration"
export { authPlugin } from "./auth-plugin.js"
export type { Authenticate } from "./authenticate.js"
export { getSession } from "./get-session.js"
export type { AuthPluginOptions, FastifyAuthConfig, FastifyConfigSource } from "./plugin-options.js"
export type { RequestAuth } from "./request-auth.js"
