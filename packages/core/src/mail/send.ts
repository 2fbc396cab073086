import { toError } from "../errors/auth-error.js"
import { EmailSignInError } from "../errors/errors.js"
import { type Because, because } from "../errors/failure-reason.js"
import { cleanError } from "../host/redact.js"
import { toHostRequest } from "../http/body.js"
import { english } from "../messages/locale.js"
import { hostDeadlineMs, systemClock, waitAtMost, withDeadline } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { MailMessage } from "../types/providers.js"
import type { FeatureMail, MailTexts } from "./message.js"
import { getMailCode, isOwnSender, type MailingVisit, type OwnSender } from "./own-sender.js"
import { linkMaxAgeSeconds } from "./secret.js"

/**
 * Sends an email by code of the app, or of a mail service.
 * @param secrets What the error of a failure must not contain: texts, and what has them.
 * @param provider Id of the provider or of the feature, for the log.
 * @throws EmailSignInError when it cannot be sent
 */
export async function sendInTime(
  send: () => Awaitable<unknown>,
  secrets: readonly unknown[],
  provider: string,
): Promise<void> {
  try {
    const message = `Sending took longer than ${hostDeadlineMs} ms`
    const late = () => Object.assign(new Error(message), { name: "TimeoutError" })
    await withDeadline(Promise.resolve(send()), hostDeadlineMs, late)
  } catch (error) {
    const thrown = toError(error)
    const err = cleanError(thrown, secrets)
    // A copy has fewer fields than the error that was thrown.
    const about = { provider, concerns: "provider", ...findMailReason(thrown) }
    throw new EmailSignInError("The email could not be sent", { err, ...about })
  }
}

/** Of a mail server that answers: `responseCode` of SMTP (RFC 5321 section 4.2), else the status of HTTP. */
function findMailReason(error: Error): Because {
  const [responseCode, status, code] = ["responseCode", "status", "code"].map((name) => readField(error, name))
  const answered = typeof responseCode === "number" ? responseCode : status
  if (typeof answered === "number") return because("mail-rejected", { status: answered })
  // The code of a connection that failed: that of nodemailer, of Node, or of `fetch`.
  const failed = code ?? Reflect.get(Object(error.cause), "code")
  const isUnreachable = error.name === "TimeoutError" || (typeof failed === "string" && /^(?:E|UND_)[A-Z]/.test(failed))
  return because(isUnreachable ? "mail-unreachable" : "mail-rejected")
}

/** A field of an error of foreign code, which may throw when it is read. */
function readField(error: Error, name: string): unknown {
  try {
    return Reflect.get(error, name)
  } catch {
    return undefined
  }
}

/** How long an answer waits for a notice: a slow mail server must not make its user wait for what has happened already. */
const noticeWaitMs = 2000

/** Sends the emails of a feature. */
export interface FeatureMails<Kind extends string> {
  /** @throws EmailSignInError when it cannot be sent */
  send(mail: FeatureMail<Kind>, sender: OwnSender, visit: MailingVisit): Promise<void>
  /** Tells a user what happened to their account. What it tells has happened: an email that cannot be sent is logged, and a slow one goes on after the answer. An imported user may have no address. */
  notify(mail: FeatureMail<Kind>, sender: OwnSender | undefined, visit: MailingVisit): Promise<void>
}

export function createFeatureMails<Kind extends string>(texts: MailTexts<Kind>): FeatureMails<Kind> {
  const send: FeatureMails<Kind>["send"] = (mail, sender, visit) =>
    sendInTime(
      async () => {
        const { writeFeatureMessage } = await getMailCode(sender).loadWriter()
        const { request, context } = visit
        const locale = (await context.findLocale(request)) ?? english
        const { theme } = context
        const from = { time: systemClock(), userAgent: request.headers.get("user-agent") }
        const message = writeFeatureMessage(mail, texts, { theme, locale, ...from })
        await sendMessage(mail, message, sender, visit)
      },
      [mail.to, mail.url, mail.code, visit.request.url, visit.request.headers],
      texts.from,
    )
  return {
    send,
    async notify(mail, sender, visit) {
      if (!sender || !mail.to) return
      const sending = send(mail, sender, visit).catch((error: unknown) =>
        visit.context.log.errorOnce(toError(error), visit.request),
      )
      await waitAtMost(sending, noticeWaitMs)
    },
  }
}

function sendMessage<Kind extends string>(
  { to, url }: FeatureMail<Kind>,
  message: MailMessage,
  sender: OwnSender,
  { request, context: { theme } }: MailingVisit,
): Awaitable<unknown> {
  if (isOwnSender(sender)) return sender.send({ to, ...message })
  return sender.sendVerificationRequest({
    identifier: to,
    url,
    token: "",
    expires: new Date(systemClock() + linkMaxAgeSeconds * 1000),
    provider: sender,
    theme,
    // Without the fields of the form, which may have a password.
    request: toHostRequest(request, {}),
    message,
  })
}
