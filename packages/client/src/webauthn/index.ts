// Imported as `@latchkey/client/webauthn`: signing in with passkeys, in the browser.
export { supportsAutofill, supportsPasskeys } from "./ceremony.js"
export { PasskeyError, type PasskeyErrorCode } from "./passkey-error.js"
export type { SignInResponse, WebAuthnAction } from "./service.js"
export { signIn, signInWithAutofill } from "./sign-in.js"
export {
  type AutofillOptions,
  type SignInOptions,
  type WebAuthnClient,
  type WebAuthnClientOptions,
  webAuthnClient,
} from "./webauthn-client.js"
