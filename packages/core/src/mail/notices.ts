import type { NoticeKind } from "./own-sender.js"
import { createFeatureMails, type FeatureMails } from "./send.js"

/** The messages of the mails about changed ways to sign in. `{host}` is the name of the site. */
export const noticeMessages = {
  home: "Go to {host}",

  "factor-added.subject": "An authenticator app was added to your account at {host}",
  "factor-removed.subject": "An authenticator app was removed from your account at {host}",
  "recovery-codes.subject": "New recovery codes for your account at {host}",
  "recovery-codes-removed.subject": "The recovery codes of your account at {host} were removed",
  "passkey-added.subject": "A passkey was added to your account at {host}",
  "passkey-removed.subject": "A passkey was removed from your account at {host}",
  "account-added.subject": "{provider} was added to your account at {host}",
  "account-removed.subject": "{provider} was removed from your account at {host}",
  request: "If it was you, there is nothing to do. If not, sign in now, undo the change and end the other sessions.",
  note: "If you can no longer sign in, contact {host}.",
} as const

const buttons: Readonly<Record<NoticeKind, "home">> = {
  "factor-added": "home",
  "factor-removed": "home",
  "recovery-codes": "home",
  "recovery-codes-removed": "home",
  "passkey-added": "home",
  "passkey-removed": "home",
  "account-added": "home",
  "account-removed": "home",
}

/** Tells a user that their ways to sign in changed. */
export const sendNotice: FeatureMails<NoticeKind>["notify"] = createFeatureMails({
  from: "securityNotices",
  prefix: "notice.",
  messages: noticeMessages,
  buttons,
  notices: Object.keys(buttons) as NoticeKind[], // as: the keys of a literal record.
}).notify
