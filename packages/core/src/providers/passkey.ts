// Imported as `@latchkey/core/providers/passkey`.

import type { WebAuthnConfig, WebAuthnUserConfig } from "../types/providers.js"
import { WebAuthn } from "./webauthn.js"

/**
 * Sign-in with a passkey: a discoverable credential, with user verification. Requires the package
 * `@simplewebauthn/server` and an adapter.
 * @see https://www.w3.org/TR/webauthn-3/
 */
export function Passkey(options: WebAuthnUserConfig = {}): WebAuthnConfig {
  return {
    ...WebAuthn(),
    id: "passkey",
    name: "Passkey",
    authenticationOptions: { userVerification: "required" },
    verifyAuthenticationOptions: { requireUserVerification: true },
    registrationOptions: { authenticatorSelection: { residentKey: "required", userVerification: "required" } },
    verifyRegistrationOptions: { requireUserVerification: true },
    options,
  }
}

export default Passkey
