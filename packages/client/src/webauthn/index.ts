// Imported as `@latchkey/client/webauthn`: signing in with passkeys, in the browser.
export type { SignInResponse } from "../completion.js"
export { supportsAutofill, supportsPasskeys } from "./ceremony.js"
export { PasskeyError, type PasskeyErrorCode } from "./passkey-error.js"
export type { WebAuthnAction } from "./service.js"
export { signIn, signInWithAutofill } from "./sign-in.js"
export {
  type AutofillOptions,
  type SignInOptions,
  type WebAuthnClient,
  type WebAuthnClientOptions,
  webAuthnClient,
} from "./webauthn-client.js"
