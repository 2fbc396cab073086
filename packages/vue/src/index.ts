// Imported as `@latchkey/vue`.
export {
  AuthClientError,
  type AuthClientErrorCode,
  type CodeFormOptions,
  configureAuth,
  getCsrfToken,
  getProviders,
  getSession,
  type Session,
  type SignInAuthorizationParams,
  type SignInOptions,
  type SignInResponse,
  type SignInStep,
  type SignOutOptions,
  signIn,
  signInWithAutofill,
  signOut,
  submitCode,
} from "@latchkey/client"
export { type CodeForm, useCodeForm } from "./code-form.js"
export {
  type Auth,
  type AuthOptions,
  createAuth,
  SignedIn,
  SignedOut,
  type UsedSession,
  type UseSessionOptions,
  useSession,
} from "./session.js"
