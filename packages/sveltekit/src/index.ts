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
export type { FormAction, FormActions } from "./form-actions.js"
export {
  type AuthHandle,
  SvelteKitAuth,
  type SvelteKitAuthConfig,
  type SvelteKitAuthOptions,
  type SvelteKitAuthResult,
} from "./svelte-kit-auth.js"
