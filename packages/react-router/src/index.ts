// Imported as `@latchkey/react-router`.
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
export type {
  ReactRouterAuthConfig,
  ReactRouterAuthOptions,
  ReactRouterConfigSource,
  RouteArgs,
  RouteMiddleware,
} from "./config.js"
export { ReactRouterAuth, type ReactRouterAuthResult } from "./handler.js"
export { getAuth, requireAuth } from "./session.js"
