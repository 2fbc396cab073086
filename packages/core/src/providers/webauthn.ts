// Imported as `@latchkey/core/providers/webauthn`.

import type { WebAuthnConfig, WebAuthnUserConfig } from "../types/providers.js"

/**
 * Sign-in with whatever WebAuthn offers, security keys among it: user verification and discoverable credentials are
 * asked for, not required. For passkeys see `Passkey`. Needs the package `@simplewebauthn/server`, an adapter and
 * `experimental.enableWebAuthn`.
 * @see https://www.w3.org/TR/webauthn-3/
 */
export function WebAuthn(options: WebAuthnUserConfig = {}): WebAuthnConfig {
  return {
    id: "webauthn",
    name: "WebAuthn",
    type: "webauthn",
    enableConditionalUI: true,
    simpleWebAuthnBrowserVersion: "v14.0.0",
    formFields: {
      email: { label: "Email", type: "email", required: true, autocomplete: "username webauthn" },
    },
    options,
  }
}

export default WebAuthn
