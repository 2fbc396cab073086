import { type AuthFunctions, createAuthFunctions } from "@latchkey/client"

const shared: AuthFunctions = /* @__PURE__ */ createAuthFunctions({ basePath: "/api/auth" })

/** Sets the options of the other functions. The plugin calls it with the path of the module. */
export const configureAuth: AuthFunctions["configureAuth"] = shared.configureAuth

/** `signIn` of `@latchkey/client`. */
export const signIn: AuthFunctions["signIn"] = shared.signIn

/** `signOut` of `@latchkey/client`. */
export const signOut: AuthFunctions["signOut"] = shared.signOut

/** `submitCode` of `@latchkey/client`. */
export const submitCode: AuthFunctions["submitCode"] = shared.submitCode
