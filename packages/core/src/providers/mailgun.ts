// Imported as `@latchkey/core/providers/mailgun`.

import {
  defaultMaxAgeSeconds,
  type MailRequest,
  type OutgoingMail,
  parseSender,
  senderRules,
  sendMail,
  sendsMessages,
} from "../mail/deliver.js"
import type { EmailConfig, EmailUserConfig } from "../types/providers.js"
import { matching, oneOf, optional } from "./_shared/options.js"

/** Options of the Mailgun provider. */
export interface MailgunOptions extends EmailUserConfig {
  /** The domain's region; a key does not work in the other one. Default: `us`. */
  readonly region?: "us" | "eu" | "US" | "EU" | undefined
  /** The sending domain. Default: the domain of `from`. */
  readonly domain?: string | undefined
}

/**
 * Sign-in by email link, sent with Mailgun. Requires `apiKey` (or `AUTH_MAILGUN_KEY`) and an adapter. The domain's
 * sending key is sufficient. You do not need to register a callback URL.
 * @example Mailgun({ from: "Harbour <no-reply@mg.harbour.example>", region: "eu" })
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
 */
export function Mailgun(options: MailgunOptions = {}): EmailConfig {
  const { region: given = "us", domain } = options
  const region = String(given).toLowerCase() as Region // The rule refuses others.
  const toRequest = (mail: OutgoingMail, apiKey: string) => toMessage(mail, apiKey, { region, domain })
  return {
    id: "mailgun",
    name: "Mailgun",
    type: "email",
    maxAge: defaultMaxAgeSeconds,
    code: !options.sendVerificationRequest,
    sendVerificationRequest: sendsMessages((params) => sendMail({ name: "Mailgun", toRequest }, params)),
    optionRules: senderRules(options, {
      region: optional(oneOf(["us", "eu", "US", "EU"])),
      domain: optional(domainRule),
    }),
    options,
  }
}

type Region = "us" | "eu"

interface MailgunPlace {
  readonly region: Region
  readonly domain: string | undefined
}

/** The domain becomes part of the URL that receives the key. */
const domainRule = matching(/^[a-z\d-]+(\.[a-z\d-]+)+$/i, "must be a domain such as mg.example.com")

const hosts: Readonly<Record<Region, string>> = { us: "api.mailgun.net", eu: "api.eu.mailgun.net" }

function toMessage(mail: OutgoingMail, apiKey: string, { region, domain }: MailgunPlace): MailRequest {
  const { from, to, subject, html, text } = mail
  const form = new FormData()
  for (const [name, value] of Object.entries({ from, to, subject, html, text })) form.set(name, value)
  const sendingDomain = domain ?? domainOf(from)
  return {
    url: `https://${hosts[region]}/v3/${encodeURIComponent(sendingDomain)}/messages`,
    // The runtime sets the content type, which contains the boundary of the form's parts.
    headers: { authorization: `Basic ${btoa(`api:${apiKey}`)}` },
    body: form,
  }
}

function domainOf(from: string): string {
  const { email } = parseSender(from)
  return email.slice(email.lastIndexOf("@") + 1)
}

export default Mailgun
