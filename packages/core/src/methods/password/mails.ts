import type { ActionContext } from "../../features/feature.js"
import { linkMaxAgeSeconds } from "../../features/mailed-secret.js"
import { notifyBy, sendOwnMail } from "../../features/own-mail.js"
import type { AuthRequest } from "../../http/request.js"
import { codeMaxAgeSeconds } from "../../mail/secret.js"
import { english } from "../../messages/locale.js"
import { mailMessages } from "../../messages/mail.js"
import { translateFrom } from "../../messages/translate.js"
import { formatDuration } from "../../theme/duration.js"
import type { MailMessage } from "../../types/providers.js"
import { passwordMailMessages } from "./mail-messages.js"
import { type PasswordSettings, passwordId } from "./options.js"

/** The kinds of mail, and the sentence on the button of each. */
const buttons = {
  "sign-up": "sign-up.button",
  known: undefined,
  reset: "choose",
  unknown: "unknown.button",
  "no-password": undefined,
  add: "add.button",
  changed: "choose",
  guessed: "choose",
  breached: "choose",
} as const

export type MailKind = keyof typeof buttons

export interface MailToUser {
  readonly kind: MailKind
  readonly to: string
  /** The target of the button. */
  readonly url: string
  /** Undefined for a mail without a code. */
  readonly code?: string
}

type MailContext = Pick<ActionContext, "theme" | "findLocale">

/**
 * Writes and sends a mail.
 * @throws EmailSignInError when it cannot be sent
 */
export function sendPasswordMail(
  mail: MailToUser,
  { sender }: Pick<PasswordSettings, "sender">,
  request: AuthRequest,
  context: MailContext,
): Promise<void> {
  return sendOwnMail(
    { ...mail, from: passwordId, write: () => write(mail, request, context) },
    sender,
    request,
    context,
  )
}

async function write(
  { kind, url, code }: MailToUser,
  request: AuthRequest,
  { theme, findLocale }: MailContext,
): Promise<MailMessage> {
  const { toSiteName, writeMessage } = await import("../../mail/message.js")
  const locale = (await findLocale(request)) ?? english
  const host = toSiteName(theme, new URL(url).host)
  const translate = translateFrom(passwordMailMessages, "passwordMail.", locale, { host })
  const common = translateFrom(mailMessages, "mail.", locale, { host })
  const toTime = (seconds: number) => formatDuration(seconds, locale.language)
  const lifetime = common("lifetimeOfBoth", { code: toTime(codeMaxAgeSeconds), link: toTime(linkMaxAgeSeconds) })
  const button = buttons[kind]
  const hasCode = kind === "sign-up" || kind === "reset" || kind === "add"
  return writeMessage({
    subject: translate(`${kind}.subject`),
    request: translate(`${kind}.request`),
    requestInText: translate(hasCode ? `${kind}.inText` : `${kind}.request`),
    button: button === undefined ? common("button") : translate(button),
    url,
    codeText: hasCode ? translate(`${kind}.code`) : "",
    code,
    notes: code === undefined ? [translate(`${kind}.note`)] : [lifetime, translate(`${kind}.note`)],
    theme,
    locale,
  })
}

/** Tells a user what happened to their account. A mail that cannot be sent is logged: what it tells has happened. */
export function notify(
  mail: MailToUser,
  settings: Pick<PasswordSettings, "sender">,
  request: AuthRequest,
  context: MailContext & Pick<ActionContext, "log">,
): Promise<void> {
  return notifyBy(() => sendPasswordMail(mail, settings, request, context), request, context)
}
