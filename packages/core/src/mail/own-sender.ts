import type { Awaitable } from "../types/basics.js"
import type { EmailConfig, MailMessage } from "../types/providers.js"

/** A mail that is written, with its recipient. */
export interface AddressedMail extends MailMessage {
  /** The address. */
  readonly to: string
}

/** What sends the mails of a feature: an email provider that sends any mail, or an object of the host's own. */
export type OwnSender = EmailConfig | OwnSendFunction

interface OwnSendFunction {
  readonly send: (mail: AddressedMail) => Awaitable<unknown>
}

export function isOwnSender(mail: unknown): mail is OwnSendFunction {
  return typeof mail === "object" && mail !== null && "send" in mail && typeof mail.send === "function"
}
