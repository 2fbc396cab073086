// Imported as `@latchkey/astro`.
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
export {
  type AstroAuthConfig,
  type AstroConfigSource,
  type AstroContext,
  type AstroMiddleware,
  defineConfig,
} from "./config.js"
export { AstroAuth, type AstroAuthOptions } from "./handler.js"
export {
  type AstroDone,
  type AstroSetup,
  type LatchkeyIntegration,
  type LatchkeyOptions,
  latchkey,
} from "./integration.js"
export { getSession, requireAuth } from "./session.js"
