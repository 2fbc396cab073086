// Imported as `@latchkey/svelte`.
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
export { createSession, provideSession, type ReactiveSession, type SessionOptions, useSession } from "./session.js"
