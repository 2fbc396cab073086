import type { Awaitable } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, MailMessage } from "../types/providers.js"
import type { writeFeatureMessage } from "./message.js"

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

/** Imports what writes mails, with their HTML. */
type LoadWriter = () => Promise<{ readonly writeFeatureMessage: typeof writeFeatureMessage }>

/**
 * What writes the mails of each sender: of an object with `send`, or of a function that sends any message that it is given. A sender
 * brings it along, so that an app that sends no mails does not bundle it.
 */
const writers = new WeakMap<object, LoadWriter>()

const keyOf = (sender: OwnSender): object => (isOwnSender(sender) ? sender : sender.sendVerificationRequest)

/** Notes that a sender sends any mail that is written for it. */
export function setWriter(sender: object, load: LoadWriter): void {
  writers.set(sender, load)
}

/** Whether an email provider sends any mail that it is given. A template or a host's own function may mail something else. */
export function canSendMessages({ sendVerificationRequest }: EmailConfig): boolean {
  return writers.has(sendVerificationRequest)
}

/** @throws TypeError for a sender that mails something else */
export function loadWriter(sender: OwnSender): ReturnType<LoadWriter> {
  const load = writers.get(keyOf(sender))
  if (!load) throw new TypeError("The sender does not send mails of a feature")
  return load()
}
