// Imported as `@latchkey/solid-start/client`.
import { type AuthFunctions, createAuthFunctions, solidStartBasePath } from "@latchkey/client"

export type { Session } from "@latchkey/client"

const shared: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: solidStartBasePath })

/** Sets the options of the other functions, such as `basePath` when the service's `prefix` is not `/api/auth`. */
export const configureAuth: AuthFunctions["configureAuth"] = shared.configureAuth

/** `signIn` of `@latchkey/client`. */
export const signIn: AuthFunctions["signIn"] = shared.signIn

/** `signInWithAutofill` of `@latchkey/client`. */
export const signInWithAutofill: AuthFunctions["signInWithAutofill"] = shared.signInWithAutofill

/** `signOut` of `@latchkey/client`. */
export const signOut: AuthFunctions["signOut"] = shared.signOut

/** `submitCode` of `@latchkey/client`. */
export const submitCode: AuthFunctions["submitCode"] = shared.submitCode

/** `getSession` of `@latchkey/client`. On the server use `getSession` of `@latchkey/solid-start`. */
export const getSession: AuthFunctions["getSession"] = shared.getSession

/** `updateSession` of `@latchkey/client`. */
export const updateSession: AuthFunctions["updateSession"] = shared.updateSession
