// Imported as `@latchkey/core/providers/webauthn`.

import { webauthnMethod } from "../methods/webauthn/webauthn.js"
import { signInMethod } from "../types/basics.js"
import type { WebAuthnConfig, WebAuthnUserConfig } from "../types/providers.js"

/**
 * Sign-in with WebAuthn, including security keys: user verification and discoverable credentials are preferred, not
 * required. For passkeys, use `Passkey`. Requires the package `@simplewebauthn/server` and an
 * adapter.
 * @see https://www.w3.org/TR/webauthn-3/
 */
export function WebAuthn(options: WebAuthnUserConfig = {}): WebAuthnConfig {
  return {
    id: "webauthn",
    name: "WebAuthn",
    type: "webauthn",
    [signInMethod]: webauthnMethod,
    enableConditionalUI: true,
    simpleWebAuthnBrowserVersion: "v14.0.0",
    formFields: {
      // Without a label: the page has one in the language of the visitor.
      email: { type: "email", required: true, autocomplete: "username webauthn" },
    },
    options,
  }
}

export default WebAuthn
