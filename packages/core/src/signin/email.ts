import type { EmailConfig } from "../contract/email-provider.js"
import type { EmailNeeds } from "./email-needs.js"
import { followLink } from "./follow-link.js"
import type { SignInMethod } from "./method.js"
import { requestLink } from "./request-link.js"

/** Signs people in by a link that is mailed to them and works once. */
export function emailMethod(needs: EmailNeeds): SignInMethod<EmailConfig> {
  return {
    callbackMethod: () => "GET",
    isCallbackOurForm: false,
    begin: (visit, provider) => requestLink(visit, provider, needs),
    prove: (visit, provider) => followLink(visit, provider, needs),
  }
}
