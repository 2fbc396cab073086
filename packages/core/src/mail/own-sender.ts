import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import type { FindLocale, LocalizedRequest } from "../messages/locale.js"
import type { Awaitable, Theme } from "../types/basics.js"
import type { EmailConfig, EmailUserConfig, MailMessage } from "../types/providers.js"
import type { FeatureMail, writeFeatureMessage } from "./message.js"

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

/** A request that sends an email. */
export interface MailingVisit {
  readonly request: LocalizedRequest & LogContext
  readonly context: { readonly theme: Theme; readonly findLocale: FindLocale; readonly log: Log }
}

/** A change of the ways to sign in, about which a user gets a mail. */
export type NoticeKind =
  | ("factor-added" | "factor-removed" | "recovery-codes" | "recovery-codes-removed")
  | ("passkey-added" | "passkey-removed" | "account-added" | "account-removed")

/** Imports what a sender brings along, so that an app that sends no mails does not bundle it. */
interface MailCode {
  /** What writes mails, with their HTML. */
  readonly loadWriter: () => Promise<{ readonly writeFeatureMessage: typeof writeFeatureMessage }>
  /** The mails about changed ways to sign in. */
  readonly loadNotices: () => Promise<{ readonly sendNotice: SendNotice }>
}

type SendNotice = (mail: FeatureMail<NoticeKind>, sender: OwnSender, visit: MailingVisit) => Promise<void>

/** The code of each sender: of an object with `send`, or of a function that sends any message that it is given. */
const codes = new WeakMap<object, MailCode>()

const keyOf = (sender: OwnSender): object => (isOwnSender(sender) ? sender : sender.sendVerificationRequest)

/** Notes that a sender sends any mail that is written for it. */
export function setMailCode(sender: object, code: MailCode): void {
  codes.set(sender, code)
}

/** Whether an email provider sends any mail that it is given. A template or a host's own function may mail something else. */
export function canSendMessages({ sendVerificationRequest }: EmailConfig): boolean {
  return codes.has(sendVerificationRequest)
}

/** @throws TypeError for a sender that mails something else */
export function getMailCode(sender: OwnSender): MailCode {
  const code = codes.get(keyOf(sender))
  if (!code) throw new TypeError("The sender does not send mails of a feature")
  return code
}
