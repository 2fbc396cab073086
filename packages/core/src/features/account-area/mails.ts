import type { AuthRequest } from "../../http/request.js"
import { canSendMessages } from "../../mail/deliver.js"
import type { OwnSender } from "../../mail/own-sender.js"
import { codeMaxAgeSeconds } from "../../mail/secret.js"
import { english } from "../../messages/locale.js"
import { mailMessages } from "../../messages/mail.js"
import { translateFrom } from "../../messages/translate.js"
import { isMailProvider } from "../../methods/reauthentication.js"
import { formatDuration } from "../../theme/duration.js"
import type { MailMessage } from "../../types/providers.js"
import type { ActionContext, ServiceFeature } from "../feature.js"
import { linkMaxAgeSeconds } from "../mailed-secret.js"
import { type MailerFeature, notifyBy, sendOwnMail } from "../own-mail.js"
import { accountMailMessages } from "./mail-messages.js"

/** The kinds of mail, and the sentence on the button of each. Undefined: that of the sign-in mail. */
const buttons = {
  change: "change.button",
  taken: undefined,
  changed: "changed.button",
  restored: "home",
  deleted: "home",
  planned: undefined,
  kept: undefined,
} as const

/** A mail about an account. */
export interface AccountMail {
  readonly kind: keyof typeof buttons
  readonly to: string
  /** The target of the button. */
  readonly url: string
  /** Undefined for a mail without a code. */
  readonly code?: string
  /** The new address of the account. */
  readonly address?: string
  /** How long something is possible. */
  readonly seconds?: number
}

/** A request that may send a mail. */
interface MailingVisit {
  readonly request: AuthRequest
  readonly context: ActionContext
}

/** What sends the mails: that of the option, else that of passwords, else an email provider that sends any mail. */
export function findSender({
  features,
  providers,
}: Pick<ActionContext, "features" | "providers">): OwnSender | undefined {
  const all: readonly (ServiceFeature & Partial<MailerFeature>)[] = features
  const mailers = all.filter(({ mailer }) => mailer)
  const mailer = mailers.find(({ feature }) => feature === "accountArea") ?? mailers[0]
  if (mailer?.mailer) return mailer.mailer()
  for (const provider of providers.values()) {
    if (isMailProvider(provider) && canSendMessages(provider)) return provider
  }
  return undefined
}

/** @throws EmailSignInError when it cannot be sent */
export async function sendAccountMail(mail: AccountMail, visit: MailingVisit): Promise<void> {
  const { request, context } = visit
  const sender = findSender(context)
  if (sender) await sendOwnMail({ ...mail, from: "account", write: () => write(mail, visit) }, sender, request, context)
}

/** Tells a user what happened. A mail that cannot be sent is logged. */
export function notify(mail: AccountMail, visit: MailingVisit): Promise<void> {
  return notifyBy(() => sendAccountMail(mail, visit), visit.request, visit.context)
}

async function write(
  { kind, url, code, address, seconds = 0 }: AccountMail,
  { request, context: { theme, findLocale } }: MailingVisit,
): Promise<MailMessage> {
  const { toSiteName, writeMessage } = await import("../../mail/message.js")
  const locale = (await findLocale(request)) ?? english
  const toTime = (duration: number) => formatDuration(duration, locale.language)
  const host = toSiteName(theme, new URL(url).host)
  const translate = translateFrom(accountMailMessages, "accountMail.", locale, {
    host,
    address,
    duration: toTime(seconds),
  })
  const common = translateFrom(mailMessages, "mail.", locale, { host })
  const lifetime = common("lifetimeOfBoth", { code: toTime(codeMaxAgeSeconds), link: toTime(linkMaxAgeSeconds) })
  const button = buttons[kind]
  const note = kind === "change" || kind === "taken" || kind === "planned" ? (`${kind}.note` as const) : "note"
  return writeMessage({
    subject: translate(`${kind}.subject`),
    request: translate(`${kind}.request`),
    requestInText: translate(kind === "change" ? "change.inText" : `${kind}.request`),
    button: button === undefined ? common("button") : translate(button),
    url,
    codeText: code === undefined ? "" : translate("change.code"),
    code,
    notes: code === undefined ? [translate(note)] : [lifetime, translate(note)],
    theme,
    locale,
  })
}
