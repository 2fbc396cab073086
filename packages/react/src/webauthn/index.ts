"use client"

// Imported as `@latchkey/react/webauthn`: what a page with passkeys needs in addition. `signIn` is that of `@latchkey/react`.
export { PasskeyError, type PasskeyErrorCode, supportsAutofill, supportsPasskeys } from "@latchkey/client/webauthn"
export { signIn, signInWithAutofill } from "../auth.js"
