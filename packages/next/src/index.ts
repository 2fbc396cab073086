// Imported as `@latchkey/next`. Interfaces are passed on by `export *`, since only so can a host augment them.
export { customFetch } from "@latchkey/core"
export { AuthError, type AuthErrorType, CredentialsSignin } from "@latchkey/core/errors"
export type * from "@latchkey/core/types"
export type { Actions, AuthorizationParams, Redirected, RedirectOptions, SignInOptions } from "./actions.js"
export type { AuthFunction, AuthHandler, NextAuthRequest } from "./auth.js"
export type { NextAuthCallbacks, NextAuthConfig, NextConfigSource } from "./config.js"
export type { Handlers } from "./handlers.js"
export { NextAuth, NextAuth as default, type NextAuthResult } from "./next-auth.js"
