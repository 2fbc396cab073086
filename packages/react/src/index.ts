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
export { SessionProvider, type SessionProviderProps } from "./session-provider.js"
export { type SessionContextValue, type UseSessionOptions, useSession } from "./use-session.js"
