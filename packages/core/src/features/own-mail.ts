import { toError } from "../errors/auth-error.js"
import { EmailSignInError } from "../errors/errors.js"
import { cleanError } from "../host/redact.js"
import { toHostRequest } from "../http/body.js"
import type { AuthRequest } from "../http/request.js"
import { isOwnSender, type OwnSender } from "../mail/own-sender.js"
import { hostDeadlineMs, systemClock, withDeadline } from "../runtime/promise.js"
import type { MailMessage } from "../types/providers.js"
import type { ActionContext } from "./feature.js"
import { linkMaxAgeSeconds } from "./mailed-secret.js"

/** A feature with a sender that others may use, too. */
export interface MailerFeature {
  mailer(): OwnSender
}

/** A mail of a feature. */
export interface OwnMail {
  readonly to: string
  /** The target of its button. */
  readonly url: string
  /** Undefined for a mail without a code. */
  readonly code?: string | undefined
  /** Id of the provider or of the feature, for the log. */
  readonly from: string
  write(): Promise<MailMessage>
}

/**
 * Writes and sends a mail.
 * @throws EmailSignInError when it cannot be sent
 */
export async function sendOwnMail(
  mail: OwnMail,
  sender: OwnSender,
  request: AuthRequest,
  { theme }: Pick<ActionContext, "theme">,
): Promise<void> {
  const { to, url, code, from } = mail
  try {
    const message = await mail.write()
    const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
    const sending = isOwnSender(sender)
      ? sender.send({ to, ...message })
      : sender.sendVerificationRequest({
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
    await withDeadline(Promise.resolve(sending), hostDeadlineMs, late)
  } catch (error) {
    const err = cleanError(toError(error), [to, url, ...(code === undefined ? [] : [code])])
    throw new EmailSignInError("The mail could not be sent", { err, provider: from, concerns: "provider" })
  }
}

/** Tells a user what happened to their account. A mail that cannot be sent is logged: what it tells has happened. */
export async function notifyBy(
  send: () => Promise<unknown>,
  request: AuthRequest,
  { log }: Pick<ActionContext, "log">,
): Promise<void> {
  try {
    await send()
  } catch (error) {
    log.errorOnce(toError(error), request)
  }
}
