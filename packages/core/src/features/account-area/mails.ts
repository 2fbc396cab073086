import { canSendMessages } from "../../mail/deliver.js"
import { createMailPurpose, type MailPurpose } from "../../mail/mailed-secret.js"
import type { FeatureMail } from "../../mail/message.js"
import type { OwnSender } from "../../mail/own-sender.js"
import { createFeatureMails, type MailingVisit as FeatureMailingVisit } from "../../mail/send.js"
import { isMailProvider } from "../../methods/reauthentication.js"
import { type ActionContext, getOwn } from "../feature.js"
import { accountMailMessages } from "./mail-messages.js"
import type { OwnArea } from "./names.js"

const accountId = "account"

/** What the account area mails secrets for. */
export const changePurpose: MailPurpose = createMailPurpose(accountId, "email")

const buttons = {
  change: "change.button",
  taken: undefined,
  changed: "changed.button",
  restored: "home",
  deleted: "home",
  planned: undefined,
  kept: undefined,
} as const

type AccountMail = FeatureMail<keyof typeof buttons>

const mails = createFeatureMails({ from: accountId, prefix: "accountMail.", messages: accountMailMessages, buttons })

/** A request that may send an email. */
interface MailingVisit extends FeatureMailingVisit {
  readonly context: ActionContext
}

/** What sends the mails: that of the option, else that of passwords, else an email provider that sends any mail. */
export function findSender({
  features,
  slots,
  providers,
}: Pick<ActionContext, "features" | "slots" | "providers">): OwnSender | undefined {
  const sender = getOwn<OwnArea>({ features }, "accountArea")?.findSender() ?? slots.mailer?.()
  if (sender) return sender
  for (const provider of providers.values()) {
    if (isMailProvider(provider) && canSendMessages(provider)) return provider
  }
  return undefined
}

/** @throws EmailSignInError when it cannot be sent */
export async function sendAccountMail(mail: AccountMail, visit: MailingVisit): Promise<void> {
  const sender = findSender(visit.context)
  if (sender) await mails.send(mail, sender, visit)
}

/** Tells a user what happened. An email that cannot be sent is logged. */
export function notify(mail: AccountMail, visit: MailingVisit): Promise<void> {
  return mails.notify(mail, findSender(visit.context), visit)
}
