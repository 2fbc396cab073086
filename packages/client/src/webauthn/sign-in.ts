import { type WebAuthnClient, webAuthnClient } from "./webauthn-client.js"

const usual: WebAuthnClient = /* @__PURE__ */ webAuthnClient()

/** `signIn` of a service at `/auth`; see `WebAuthnClient`. */
export const signIn: WebAuthnClient["signIn"] = usual.signIn

/** `signInWithAutofill` of a service at `/auth`; see `WebAuthnClient`. */
export const signInWithAutofill: WebAuthnClient["signInWithAutofill"] = usual.signInWithAutofill
