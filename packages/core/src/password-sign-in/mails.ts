import type { ActionContext } from "../actions/context.js"
import { toError } from "../errors/auth-error.js"
import { EmailSignInError } from "../errors/errors.js"
import { cleanError } from "../host/redact.js"
import { type AuthRequest, toHostRequest } from "../http/request.js"
import { codeMaxAgeSeconds } from "../mail/secret.js"
import { hostDeadlineMs, systemClock, withDeadline } from "../runtime/promise.js"
import { formatDuration } from "../theme/duration.js"
import type { MailMessage } from "../types/providers.js"
import { linkMaxAgeSeconds } from "./mailed.js"
import { isOwnSender, type PasswordSettings, passwordId } from "./options.js"

/** The mails of passwords. `{site}` is filled in everywhere. */
const mails = {
  "sign-up": {
    subject: "Confirm your address for {site}",
    request: "Use this button to finish creating your account, or the code below.",
    requestInText: "Open this link to finish creating your account:",
    button: "Create account",
    codeText: "Or type this code where you chose your password:",
    note: "If you did not ask for an account, ignore this email. No account is created without the link or the code. Do not give the code to anyone.",
  },
  known: {
    subject: "You already have an account at {site}",
    request: "Someone, perhaps you, asked for an account with this address. There is one already: sign in with it.",
    requestInText:
      "Someone, perhaps you, asked for an account with this address. There is one already: sign in with it.",
    button: "Sign in",
    note: "If it was not you, ignore this email. Nothing has changed.",
  },
  reset: {
    subject: "Choose a new password for {site}",
    request: "Use this button to choose a new password, or the code below.",
    requestInText: "Open this link to choose a new password:",
    button: "Choose a new password",
    codeText: "Or type this code where you asked for it:",
    note: "If you did not ask for it, ignore this email: your password stays. Do not give the code to anyone.",
  },
  unknown: {
    subject: "No account at {site} with this address",
    request: "Someone, perhaps you, asked for a new password. There is no account with this address: try another one.",
    requestInText:
      "Someone, perhaps you, asked for a new password. There is no account with this address: try another one.",
    button: "Go to {site}",
    note: "If it was not you, ignore this email.",
  },
  "no-password": {
    subject: "Your account at {site} has no password",
    request: "Sign in the way you did before. Afterwards you can choose a password.",
    requestInText: "Sign in the way you did before. Afterwards you can choose a password.",
    button: "Sign in",
    note: "If you did not ask for a new password, ignore this email. Nothing has changed.",
  },
  add: {
    subject: "Add a password at {site}",
    request: "Use the code below to choose a password for your account.",
    requestInText: "Choose a password on this page, with the code below:",
    button: "Choose a password",
    codeText: "Type this code where you asked for it:",
    note: "If you did not ask for it, someone is signed in to your account: sign in and end the other sessions. Do not give the code to anyone.",
  },
  changed: {
    subject: "Your password at {site} was changed",
    request: "All other sessions were ended. If it was you, there is nothing to do. If not, choose a new password now.",
    requestInText:
      "All other sessions were ended. If it was you, there is nothing to do. If not, choose a new password now:",
    button: "Choose a new password",
    note: "This email was sent because your password was changed.",
  },
  guessed: {
    subject: "A sign-in at {site} after many wrong passwords",
    request:
      "Someone signed in with your password after many wrong ones. If it was not you, choose a new password now.",
    requestInText:
      "Someone signed in with your password after many wrong ones. If it was not you, choose a new password now:",
    button: "Choose a new password",
    note: "This email was sent because of the wrong passwords.",
  },
  breached: {
    subject: "Your password at {site} was made public",
    request: "Your password is on a list of passwords that were made public, at any site. Choose a new one now.",
    requestInText: "Your password is on a list of passwords that were made public, at any site. Choose a new one now:",
    button: "Choose a new password",
    note: "This email was sent because of the sign-in that just took place.",
  },
} as const

export type MailKind = keyof typeof mails

export interface MailToUser {
  readonly kind: MailKind
  readonly to: string
  /** The target of the button. */
  readonly url: string
  /** Undefined for a mail without a code. */
  readonly code?: string
}

type MailContext = Pick<ActionContext, "theme">

/**
 * Writes and sends a mail.
 * @throws EmailSignInError when it cannot be sent
 */
export async function sendPasswordMail(
  mail: MailToUser,
  { sender }: Pick<PasswordSettings, "sender">,
  request: AuthRequest,
  context: MailContext,
): Promise<void> {
  const { to, url, code } = mail
  try {
    const message = await write(mail, context)
    const late = () => new Error(`Sending took longer than ${hostDeadlineMs} ms`)
    const sending = isOwnSender(sender)
      ? sender.send({ to, ...message })
      : sendBy(sender, { mail, message }, request, context)
    await withDeadline(Promise.resolve(sending), hostDeadlineMs, late)
  } catch (error) {
    const err = cleanError(toError(error), [to, url, ...(code === undefined ? [] : [code])])
    throw new EmailSignInError("The mail could not be sent", { err, provider: passwordId, concerns: "provider" })
  }
}

async function sendBy(
  sender: Exclude<PasswordSettings["sender"], { send: unknown }>,
  { mail: { to, url }, message }: { readonly mail: MailToUser; readonly message: MailMessage },
  request: AuthRequest,
  { theme }: MailContext,
): Promise<unknown> {
  const expires = new Date(systemClock() + linkMaxAgeSeconds * 1000)
  // The fields of the form have the password.
  const hostRequest = toHostRequest(request, {})
  return sender.sendVerificationRequest({
    identifier: to,
    url,
    token: "",
    expires,
    provider: sender,
    theme,
    request: hostRequest,
    message,
  })
}

async function write({ kind, url, code }: MailToUser, { theme }: MailContext): Promise<MailMessage> {
  const { toSiteName, writeMessage } = await import("../mail/message.js")
  const site = toSiteName(theme, new URL(url).host)
  const fill = (text: string) => text.replaceAll("{site}", () => site)
  const { subject, request, requestInText, button, note, ...rest } = mails[kind]
  const [codeTime, linkTime] = [formatDuration(codeMaxAgeSeconds, "en"), formatDuration(linkMaxAgeSeconds, "en")]
  const lifetime = `The code works for ${codeTime}, the link for ${linkTime}. After one of them is used, neither works.`
  return writeMessage({
    subject: fill(subject),
    request: fill(request),
    requestInText: fill(requestInText),
    button: fill(button),
    url,
    codeText: "codeText" in rest ? rest.codeText : "",
    code,
    notes: code === undefined ? [fill(note)] : [lifetime, fill(note)],
    theme,
  })
}

/** Tells a user what happened to their account. A mail that cannot be sent is logged: what it tells has happened. */
export async function notify(
  mail: MailToUser,
  settings: Pick<PasswordSettings, "sender">,
  request: AuthRequest,
  context: MailContext & Pick<ActionContext, "log">,
): Promise<void> {
  try {
    await sendPasswordMail(mail, settings, request, context)
  } catch (error) {
    context.log.errorOnce(toError(error), request)
  }
}
