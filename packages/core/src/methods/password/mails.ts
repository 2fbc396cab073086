import { createMailPurpose, type MailPurpose } from "../../mail/mailed-secret.js"
import type { FeatureMail } from "../../mail/message.js"
import { createFeatureMails, type FeatureMails } from "../../mail/send.js"
import { passwordMailMessages } from "./mail-messages.js"
import { passwordId } from "./options.js"

/** What passwords mail secrets for. */
export const signUpPurpose: MailPurpose = createMailPurpose(passwordId, "sign-up")
export const resetPurpose: MailPurpose = createMailPurpose(passwordId, "reset")
export const addPurpose: MailPurpose = createMailPurpose(passwordId, "add")

const buttons = {
  "sign-up": "sign-up.button",
  known: undefined,
  reset: "choose",
  unknown: "unknown.button",
  "no-password": undefined,
  add: "add.button",
  changed: "choose",
  added: "choose",
  guessed: "choose",
  breached: "choose",
} as const

export type PasswordMail = FeatureMail<keyof typeof buttons>

/** The emails about passwords. */
export const passwordMails: FeatureMails<keyof typeof buttons> = createFeatureMails({
  from: passwordId,
  prefix: "passwordMail.",
  messages: passwordMailMessages,
  buttons,
  notices: ["changed", "added", "guessed", "breached"],
})
