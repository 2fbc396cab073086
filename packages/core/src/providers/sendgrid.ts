// Imported as `@latchkey/core/providers/sendgrid`.

import {
  defaultMaxAgeSeconds,
  jsonRequest,
  parseSender,
  senderRules,
  sendMail,
  sendsMessages,
  type WholeMailService,
} from "../mail/deliver.js"
import type { EmailConfig, EmailUserConfig } from "../types/providers.js"
import { oneOf, optional } from "./_shared/options.js"

/** Options of the SendGrid provider. */
export interface SendGridOptions extends EmailUserConfig {
  /** `eu` for a key of a European subuser. Default: `us`. */
  readonly region?: "us" | "eu" | undefined
}

/**
 * Sign-in by email link, sent with SendGrid. Requires `apiKey` (or `AUTH_SENDGRID_KEY`), an adapter, and a `from`
 * that is a verified sender. A key with the permission "Mail Send" is sufficient. You do not need to register a
 * callback URL.
 * @example SendGrid({ from: "Harbour <no-reply@harbour.example>", region: "eu" })
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
export function SendGrid(options: SendGridOptions = {}): EmailConfig {
  const { region = "us" } = options
  return {
    id: "sendgrid",
    name: "SendGrid",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    sendVerificationRequest: sendsMessages((params) => sendMail(sendGridOf(region), params)),
    optionRules: senderRules(options, { region: optional(oneOf(["us", "eu"])) }),
    options,
  }
}

type Region = NonNullable<SendGridOptions["region"]>

const hosts: Readonly<Record<Region, string>> = { us: "api.sendgrid.com", eu: "api.eu.sendgrid.com" }

function sendGridOf(region: Region): WholeMailService {
  return {
    name: "SendGrid",
    toRequest: ({ from, to, subject, html, text }, apiKey) =>
      jsonRequest(
        `https://${hosts[region]}/v3/mail/send`,
        { authorization: `Bearer ${apiKey}` },
        {
          personalizations: [{ to: [{ email: to }] }],
          from: parseSender(from),
          subject,
          // SendGrid requires the plain text first.
          content: [
            { type: "text/plain", value: text },
            { type: "text/html", value: html },
          ],
        },
      ),
  }
}

export default SendGrid
