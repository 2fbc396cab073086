// Imported as `@latchkey/client/webauthn`: what a page with passkeys needs in addition. `signIn` is that of `@latchkey/client`.
export { signIn, signInWithAutofill } from "../auth-functions.js"
export type { SignInOptions } from "../form-options.js"
export type { SignInResponse, SignInStep } from "../protocol.js"
export { supportsAutofill, supportsPasskeys } from "./ceremony.js"
export { PasskeyError, type PasskeyErrorCode } from "./passkey-error.js"
export type { AutofillOptions } from "./passkeys.js"
export type { WebAuthnAction } from "./service.js"
