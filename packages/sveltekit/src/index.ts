// Imported as `@latchkey/sveltekit`.
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
export type { AccessTokens } from "./access-token.js"
export type { FormAction, FormActions } from "./actions.js"
export type { SvelteKitAuthConfig, SvelteKitAuthOptions } from "./config.js"
export { type AuthHandle, SvelteKitAuth, type SvelteKitAuthResult } from "./handler.js"
export type { Freshness } from "./require-fresh.js"
export type { UserSessions } from "./user-sessions.js"
