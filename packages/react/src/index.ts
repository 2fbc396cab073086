"use client"

// Imported as `@latchkey/react`.
export {
  AuthClientError,
  type AuthClientErrorCode,
  type GetSessionParams,
  type PublicProvider,
  type Session,
  type SignInAuthorizationParams,
  type SignInOptions,
  type SignInResponse,
  type SignInStep,
  type SignOutOptions,
  type SignOutParams,
} from "@latchkey/client"
export {
  configureAuth,
  getCsrfToken,
  getProviders,
  getSession,
  signIn,
  signInWithAutofill,
  signOut,
  submitCode,
} from "./auth.js"
export { type CodeForm, type CodeFormOptions, useCodeForm } from "./code-form.js"
export {
  SessionContext,
  type SessionContextValue,
  SessionProvider,
  type SessionProviderProps,
  SignedIn,
  SignedOut,
  type UseSessionOptions,
  useSession,
} from "./session.js"
