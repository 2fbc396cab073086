// Imported as `@latchkey/client/webauthn`: sign-in with passkeys, in the browser.
import { type WebAuthnClient, webAuthnClient } from "./webauthn-client.js"

export type { SignInResponse } from "../protocol.js"
export { supportsAutofill, supportsPasskeys } from "./ceremony.js"
export { PasskeyError, type PasskeyErrorCode } from "./passkey-error.js"
export type { WebAuthnAction } from "./service.js"
export {
  type AutofillOptions,
  type SignInOptions,
  type WebAuthnClient,
  type WebAuthnClientOptions,
  webAuthnClient,
} from "./webauthn-client.js"

const defaultClient: WebAuthnClient = /* @__PURE__ */ webAuthnClient()

/** `signIn` for a service at `/auth`; see `WebAuthnClient`. */
export const signIn: WebAuthnClient["signIn"] = defaultClient.signIn

/** `signInWithAutofill` for a service at `/auth`; see `WebAuthnClient`. */
export const signInWithAutofill: WebAuthnClient["signInWithAutofill"] = defaultClient.signInWithAutofill
