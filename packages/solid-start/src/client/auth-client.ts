import { type AuthFunctions, createAuthFunctions } from "@latchkey/client"

const usual: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: "/api/auth" })

/** Says where the service is, for all functions beside it, when its `prefix` is not `/api/auth`. */
export const configureAuth: AuthFunctions["configureAuth"] = usual.configureAuth

/** As that of `@latchkey/client`. */
export const signIn: AuthFunctions["signIn"] = usual.signIn

/** As that of `@latchkey/client`. */
export const signOut: AuthFunctions["signOut"] = usual.signOut

/** As that of `@latchkey/client`. */
export const getSession: AuthFunctions["getSession"] = usual.getSession

/** As that of `@latchkey/client`. */
export const updateSession: AuthFunctions["updateSession"] = usual.updateSession
