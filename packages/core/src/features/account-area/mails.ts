import { createMailPurpose, type MailPurpose } from "../../mail/mailed-secret.js"
import type { FeatureMail } from "../../mail/message.js"
import type { MailingVisit as FeatureMailingVisit } from "../../mail/own-sender.js"
import { createFeatureMails } from "../../mail/send.js"
import type { ActionContext } from "../feature.js"
import { findSender } from "../notices.js"
import { accountMailMessages } from "./mail-messages.js"

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

const mails = createFeatureMails({
  from: accountId,
  prefix: "accountMail.",
  messages: accountMailMessages,
  buttons,
  notices: ["changed", "restored", "deleted", "planned", "kept"],
})

/** A request that may send an email. */
interface MailingVisit extends FeatureMailingVisit {
  readonly context: ActionContext
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
