"use client"

// Imported as `@latchkey/react/v4`, in place of `next-auth/react` of version 4.
export type {
  PublicProvider,
  PublicProvider as ClientSafeProvider,
  Session,
  SignInAuthorizationParams,
  SignOutOptions,
  SignOutParams,
} from "@latchkey/client"
export { configureAuth, signOut } from "../auth.js"
export {
  SessionContext,
  type SessionContextValue,
  SessionProvider,
  type SessionProviderProps,
  type UseSessionOptions,
  useSession,
} from "../session.js"
export {
  type CtxOrReq,
  getCsrfToken,
  getProviders,
  getSession,
  type ServerRequest,
  type ServerResponse,
  type SignInOptions,
  type SignInResponse,
  signIn,
} from "./functions.js"
