"use client"

// Imported as `@latchkey/react`.
export {
  AuthClientError,
  type AuthClientErrorCode,
  type Session,
  type SignInOptions,
  type SignInResponse,
  type SignOutOptions,
} from "@latchkey/client"
export { configureAuth, getCsrfToken, getProviders, getSession, signIn, signOut } from "./auth.js"
export {
  type SessionContextValue,
  SessionProvider,
  type SessionProviderProps,
  type UseSessionOptions,
  useSession,
} from "./session.js"
