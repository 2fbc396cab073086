// Imported as `@latchkey/next`. Types are re-exported with `export *`: only these can be augmented by a host.
export { customFetch } from "@latchkey/core"
export { AuthError, type AuthErrorType, CredentialsSignin } from "@latchkey/core/errors"
export type * from "@latchkey/core/types"
export type {
  Actions,
  AuthorizationParams,
  Redirected,
  RedirectOptions,
  SignInOptions,
  SignOutOptions,
} from "./actions.js"
export type { NextAuthCallbacks, NextAuthConfig, NextConfigSource } from "./config.js"
export type { AuthHandler, NextAuthRequest } from "./guard.js"
export type { Handlers } from "./handler.js"
export { type AuthFunction, NextAuth, NextAuth as default, type NextAuthResult } from "./next-auth.js"
export type { NextUserAuth } from "./user-auth.js"
