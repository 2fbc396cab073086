// Imported as `@latchkey/core/providers/resend`.

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
 * Sign-in by email link, sent with Resend. Requires `apiKey` (or `AUTH_RESEND_KEY`), an adapter, and a `from` whose
 * domain is verified at Resend. A key with sending access is sufficient. You do not need to register a callback URL.
 * @example Resend({ from: "Harbour <no-reply@harbour.example>" })
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export function Resend(options: EmailUserConfig = {}): EmailConfig {
  return {
    id: "resend",
    name: "Resend",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    sendVerificationRequest: sendsMessages((params) => sendMail(resend, params)),
    optionRules: senderRules(options),
    options,
  }
}

const resend: WholeMailService = {
  name: "Resend",
  toRequest: ({ from, to, subject, html, text }, apiKey) => {
    const headers = { authorization: `Bearer ${apiKey}` }
    return jsonRequest("https://api.resend.com/emails", headers, { from, to, subject, html, text })
  },
}

export default Resend
