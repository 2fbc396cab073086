import { type AuthClient, type AuthFunctions, createAuthFunctions, reactBasePath } from "@latchkey/client"

const defaultFunctions: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: reactBasePath })

/** Sets where the service is, for apps without a `SessionProvider` that does. Default: `/api/auth`. */
export const configureAuth: AuthFunctions["configureAuth"] = defaultFunctions.configureAuth

/** The client that the functions of this module use. */
export const currentClient: AuthFunctions["currentClient"] = defaultFunctions.currentClient

/** See `AuthClient` of `@latchkey/client`. */
export const signIn: AuthClient["signIn"] = defaultFunctions.signIn

/** See `AuthClient` of `@latchkey/client`. */
export const signInWithAutofill: AuthClient["signInWithAutofill"] = defaultFunctions.signInWithAutofill

/** See `AuthClient` of `@latchkey/client`. */
export const signOut: AuthClient["signOut"] = defaultFunctions.signOut

/** See `AuthClient` of `@latchkey/client`. */
export const submitCode: AuthClient["submitCode"] = defaultFunctions.submitCode

/** See `AuthClient` of `@latchkey/client`. */
export const getSession: AuthClient["getSession"] = defaultFunctions.getSession

/** See `AuthClient` of `@latchkey/client`. */
export const getProviders: AuthClient["getProviders"] = defaultFunctions.getProviders

/** See `AuthClient` of `@latchkey/client`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = defaultFunctions.getCsrfToken
