import type { AuthClient } from "./auth-client.js"
import { type AuthFunctions, createAuthFunctions } from "./auth-functions.js"

const usual: AuthFunctions = /* @__PURE__ */ createAuthFunctions()

/** Says where the service is, for all functions beside it; see `AuthFunctions`. */
export const configureAuth: AuthFunctions["configureAuth"] = usual.configureAuth

/** The client behind the functions beside it. */
export const currentClient: AuthFunctions["currentClient"] = usual.currentClient

/** See `AuthClient`. */
export const signIn: AuthClient["signIn"] = usual.signIn

/** See `AuthClient`. */
export const signOut: AuthClient["signOut"] = usual.signOut

/** See `AuthClient`. */
export const getSession: AuthClient["getSession"] = usual.getSession

/** See `AuthClient`. */
export const updateSession: AuthClient["updateSession"] = usual.updateSession

/** See `AuthClient`. */
export const getProviders: AuthClient["getProviders"] = usual.getProviders

/** See `AuthClient`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = usual.getCsrfToken
