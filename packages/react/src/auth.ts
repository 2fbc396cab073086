import { type AuthClient, type AuthFunctions, createAuthFunctions } from "@latchkey/client"

const usual: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: "/api/auth" })

/** Says where the service is, for apps without a `SessionProvider` that says it. Default: `/api/auth`. */
export const configureAuth: AuthFunctions["configureAuth"] = usual.configureAuth

/** The client behind the functions beside it. */
export const currentClient: AuthFunctions["currentClient"] = usual.currentClient

/** See `AuthClient` of `@latchkey/client`. */
export const signIn: AuthClient["signIn"] = usual.signIn

/** See `AuthClient` of `@latchkey/client`. */
export const signOut: AuthClient["signOut"] = usual.signOut

/** See `AuthClient` of `@latchkey/client`. */
export const getSession: AuthClient["getSession"] = usual.getSession

/** See `AuthClient` of `@latchkey/client`. */
export const getProviders: AuthClient["getProviders"] = usual.getProviders

/** See `AuthClient` of `@latchkey/client`. */
export const getCsrfToken: AuthClient["getCsrfToken"] = usual.getCsrfToken
