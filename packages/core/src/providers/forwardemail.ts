// Imported as `@latchkey/core/providers/forwardemail`.

import {
  defaultMaxAgeSeconds,
  jsonRequest,
  senderRules,
  sendMail,
  sendsMessages,
  type WholeMailService,
} from "../mail/deliver.js"
import type { EmailConfig, EmailUserConfig } from "../types/providers.js"

/**
 * Sign-in by email link, sent with Forward Email. Requires `apiKey` (or `AUTH_FORWARDEMAIL_KEY`), an adapter, and a
 * `from` whose domain is enabled for outbound email. You do not need to register a callback URL.
 * @example ForwardEmail({ from: "Harbour <no-reply@harbour.example>" })
 * @see https://forwardemail.net/en/email-api
 */
export function ForwardEmail(options: EmailUserConfig = {}): EmailConfig {
  return {
    id: "forwardemail",
    name: "Forward Email",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    sendVerificationRequest: sendsMessages((params) => sendMail(forwardEmail, params)),
    optionRules: senderRules(options),
    options,
  }
}

const forwardEmail: WholeMailService = {
  name: "Forward Email",
  toRequest: ({ from, to, subject, html, text }, apiKey) => {
    // The key is the user name, and the password is empty.
    const headers = { authorization: `Basic ${btoa(`${apiKey}:`)}` }
    return jsonRequest("https://api.forwardemail.net/v1/emails", headers, { from, to, subject, html, text })
  },
}

export default ForwardEmail
