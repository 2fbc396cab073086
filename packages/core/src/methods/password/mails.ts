import type { ActionContext } from "../../actions/context.js"
import { linkMaxAgeSeconds } from "../../actions/mailed-secret.js"
import { notifyBy, sendOwnMail } from "../../actions/own-mail.js"
import type { AuthRequest } from "../../http/request.js"
import { codeMaxAgeSeconds } from "../../mail/secret.js"
import { mailWords } from "../../messages/mail.js"
import { passwordMailWords } from "../../messages/password-mails.js"
import { english } from "../../messages/speech.js"
import { createWords } from "../../messages/words.js"
import { formatDuration } from "../../theme/duration.js"
import type { MailMessage } from "../../types/providers.js"
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

type MailContext = Pick<ActionContext, "theme" | "findSpeech">

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
  { theme, findSpeech }: MailContext,
): Promise<MailMessage> {
  const { toSiteName, writeMessage } = await import("../../mail/message.js")
  const speech = (await findSpeech(request)) ?? english
  const host = toSiteName(theme, new URL(url).host)
  const words = createWords(passwordMailWords, "passwordMail.", speech, { host })
  const common = createWords(mailWords, "mail.", speech, { host })
  const toTime = (seconds: number) => formatDuration(seconds, speech.language)
  const lifetime = common("lifetimeOfBoth", { code: toTime(codeMaxAgeSeconds), link: toTime(linkMaxAgeSeconds) })
  const button = buttons[kind]
  const hasCode = kind === "sign-up" || kind === "reset" || kind === "add"
  return writeMessage({
    subject: words(`${kind}.subject`),
    request: words(`${kind}.request`),
    requestInText: words(hasCode ? `${kind}.inText` : `${kind}.request`),
    button: button === undefined ? common("button") : words(button),
    url,
    codeText: hasCode ? words(`${kind}.code`) : "",
    code,
    notes: code === undefined ? [words(`${kind}.note`)] : [lifetime, words(`${kind}.note`)],
    theme,
    speech,
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
