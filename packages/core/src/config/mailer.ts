import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { canSendMessages, isOwnSender, type Mailer, type OwnSender, setMailCode } from "../mail/own-sender.js"
import { validateRules } from "../methods/option-rules.js"
import type { EmailConfig, Provider, ProviderConfig } from "../types/providers.js"
import { resolveProvider } from "./providers.js"

/** The mistake in the option `mail` of a feature. Null if there is none. */
export function findMailerMistake(mail: unknown, path: string): AuthError | null {
  if (isOwnSender(mail)) return null
  const isProvider = typeof mail === "function" || Object(mail).type === "email"
  if (!isProvider)
    return new InvalidConfiguration(`${path}: must be an email provider, such as Resend, or { send(mail) }`)
  const sender = resolveProvider(mail as Provider, undefined) as EmailConfig // as: the rest of the type `Mailer`.
  if (canSendMessages(sender)) return validateRules(sender, path)
  const reason = "sends sign-in emails only: it has a template, or its own sendVerificationRequest"
  return new InvalidConfiguration(`${path}: ${reason}. Use another provider, or { send(mail) }`)
}

/** Fills in the defaults of the option `mail`. `findMailerMistake` refuses what is neither. */
export function resolveMailer(mail: Mailer): OwnSender {
  if (!isOwnSender(mail)) return resolveProvider(mail, undefined) as EmailConfig // as: of the type `Mailer`.
  setMailCode(mail, {
    loadWriter: () => import("../mail/message.js"),
    loadNotices: () => import("../mail/notices.js"),
  })
  return mail
}

/** Fills in the options of the option `mail` that environment variables set. */
export function fillMailer(mail: Mailer, fill: (nested: Provider) => ProviderConfig): Mailer {
  // JavaScript apps may leave it out, which `findMailerMistake` reports.
  if (isOwnSender(mail) || mail === undefined) return mail
  return fill(mail as Provider) as EmailConfig // as: what is not an object of the app's own is an email provider.
}
