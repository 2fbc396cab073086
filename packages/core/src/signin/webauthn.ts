import { isAction } from "../checks/challenge.js"
import type { WebAuthnConfig } from "../contract/webauthn-provider.js"
import { AuthError } from "../errors/auth-error.js"
import { redirect } from "../web/reply.js"
import { findField, type Visit } from "../web/visit.js"
import type { Proven, SignInMethod } from "./method.js"
import { offerOptions } from "./webauthn/offer-options.js"
import { proveAuthentication } from "./webauthn/prove-authentication.js"
import { proveRegistration } from "./webauthn/prove-registration.js"
import type { WebAuthnNeeds } from "./webauthn/webauthn-needs.js"

/** Signs people in with a passkey or security key, WebAuthn level 3. */
export function webauthnMethod(needs: WebAuthnNeeds): SignInMethod<WebAuthnConfig> {
  return {
    callbackMethod: () => "POST",
    isCallbackOurForm: true,
    /** The form stands on the sign-in page, where a script completes it; there is nothing else to begin. */
    begin: async (visit) => redirect(needs.signInPage(visit)),
    offerOptions: (visit, provider) => offerOptions(visit, provider, needs),
    prove: (visit, provider) => prove(visit, provider, needs),
  }
}

/** @throws AuthError when the form does not say whether a passkey was made or used */
async function prove(visit: Visit, provider: WebAuthnConfig, needs: WebAuthnNeeds): Promise<Proven> {
  const action = findField(visit, "action")
  if (!isAction(action)) throw new AuthError("action: must be register or authenticate", { provider: provider.id })
  const returned = { visit, provider, needs }
  return action === "register" ? proveRegistration(returned) : proveAuthentication(returned)
}
