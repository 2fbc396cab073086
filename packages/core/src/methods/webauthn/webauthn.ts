import { isAction } from "../../checks/challenge.js"
import { AuthError } from "../../errors/auth-error.js"
import { type AuthRequest, findField } from "../../http/request.js"
import { redirect } from "../../http/response.js"
import type { WebAuthnConfig } from "../../types/providers.js"
import type { Proven, SignInMethod } from "../method.js"
import { proveAuthentication } from "./authenticate.js"
import type { WebAuthnNeeds } from "./ceremony.js"
import { offerOptions } from "./options.js"
import { proveRegistration } from "./register.js"

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
async function prove(visit: AuthRequest, provider: WebAuthnConfig, needs: WebAuthnNeeds): Promise<Proven> {
  const action = findField(visit, "action")
  if (!isAction(action)) throw new AuthError("action: must be register or authenticate", { provider: provider.id })
  const returned = { visit, provider, needs }
  return action === "register" ? proveRegistration(returned) : proveAuthentication(returned)
}
