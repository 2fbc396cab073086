// Imported as `@latchkey/core/providers/postmark`.

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
 * Sign-in by email link, sent with Postmark through the message stream `outbound`. Requires `apiKey`, a server token
 * (or `AUTH_POSTMARK_KEY`), an adapter, and a `from` that is a confirmed sender. You do not need to register a
 * callback URL.
 * @example Postmark({ from: "Harbour <no-reply@harbour.example>" })
 * @see https://postmarkapp.com/developer/api/email-api
 */
export function Postmark(options: EmailUserConfig = {}): EmailConfig {
  return {
    id: "postmark",
    name: "Postmark",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    sendVerificationRequest: sendsMessages((params) => sendMail(postmark, params)),
    optionRules: senderRules(options),
    options,
  }
}

const postmark: WholeMailService = {
  name: "Postmark",
  toRequest: ({ from, to, subject, html, text }, apiKey) =>
    jsonRequest(
      "https://api.postmarkapp.com/email",
      { "x-postmark-server-token": apiKey },
      { From: from, To: to, Subject: subject, TextBody: text, HtmlBody: html, MessageStream: "outbound" },
    ),
  isRefusal: ({ ErrorCode }) => ErrorCode !== 0,
}

export default Postmark
