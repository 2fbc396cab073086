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
export type { SignInRequest, SignOutRequest, UserAuth } from "@latchkey/core/integration"
export type { FormAction, FormActions } from "./actions.js"
export type { SvelteKitAuthConfig, SvelteKitAuthOptions } from "./config.js"
export { type AuthHandle, type KitAuth, SvelteKitAuth, type SvelteKitAuthResult } from "./handler.js"
