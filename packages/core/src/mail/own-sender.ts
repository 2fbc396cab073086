import type { Awaitable } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, MailMessage } from "../types/providers.js"

/** A mail that is written, with its recipient. */
export interface AddressedMail extends MailMessage {
  /** The address. */
  readonly to: string
}

/** What sends the emails of a feature: an email provider that sends whole emails, called or not, or an object of your own. */
export type Mailer = EmailConfig | ((options: EmailUserConfig) => EmailConfig) | OwnSendFunction

/** A mailer whose defaults are filled in. */
export type OwnSender = EmailConfig | OwnSendFunction

interface OwnSendFunction {
  readonly send: (mail: AddressedMail) => Awaitable<unknown>
}

export function isOwnSender(mail: unknown): mail is OwnSendFunction {
  return typeof mail === "object" && mail !== null && "send" in mail && typeof mail.send === "function"
}
