// Imported as `@latchkey/astro/client`.
import { type AuthFunctions, astroBasePath, createAuthFunctions } from "@latchkey/client"

export { AuthClientError, type Session, type SignInResponse, type SignInStep } from "@latchkey/client"

/** What Vite fills in. */
interface ViteMeta {
  readonly env?: { readonly BASE_URL?: string }
}

/** With Astro's `base`. */
const basePath = `${((import.meta as ViteMeta).env?.BASE_URL ?? "").replace(/\/$/, "")}${astroBasePath}`

const shared: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath })

/** Sets the options of the other functions, such as `basePath` when that of the integration is not `/api/auth`. */
export const configureAuth: AuthFunctions["configureAuth"] = shared.configureAuth

/** `signIn` of `@latchkey/client`. */
export const signIn: AuthFunctions["signIn"] = shared.signIn

/** `signInWithAutofill` of `@latchkey/client`. */
export const signInWithAutofill: AuthFunctions["signInWithAutofill"] = shared.signInWithAutofill

/** `signOut` of `@latchkey/client`. */
export const signOut: AuthFunctions["signOut"] = shared.signOut

/** `submitCode` of `@latchkey/client`. */
export const submitCode: AuthFunctions["submitCode"] = shared.submitCode

/** `getSession` of `@latchkey/client`. On the server use `Astro.locals.auth.getSession()`. */
export const getSession: AuthFunctions["getSession"] = shared.getSession

/** `updateSession` of `@latchkey/client`. */
export const updateSession: AuthFunctions["updateSession"] = shared.updateSession
