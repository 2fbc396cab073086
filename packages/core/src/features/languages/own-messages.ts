import { findNearest } from "../../config/unknown-options.js"
import { mailMessages } from "../../mail/message.js"
import { noticeMessages } from "../../mail/notices.js"
import type { Message } from "../../messages/locale.js"
import { pageMessages } from "../../messages/pages.js"
import { passwordMailMessages } from "../../methods/password/mail-messages.js"
import { passwordMessages } from "../../methods/password/messages.js"
import { passkeyMessages } from "../../pages/passkey-form.js"
import { accountMailMessages } from "../account-area/mail-messages.js"
import { accountMessages } from "../account-area/messages.js"
import { nativeMessages } from "../native-apps/consent-page.js"
import { factorMessages } from "../second-factors/messages.js"

// Loaded outside of production only: it has the English messages of all features.

/** The lists of English messages, by what their ids in `Messages` start with. */
const lists: Readonly<Record<string, Readonly<Record<string, Message>>>> = {
  "": pageMessages,
  "passkey.": passkeyMessages,
  "mail.": mailMessages,
  "notice.": noticeMessages,
  "password.": passwordMessages,
  "passwordMail.": passwordMailMessages,
  "factor.": factorMessages,
  "native.": nativeMessages,
  "account.": accountMessages,
  "accountMail.": accountMailMessages,
}

/**
 * Every message in English, by its id in `Messages`.
 * @internal Exported for its tests.
 */
export const englishMessages: ReadonlyMap<string, Message> = new Map(
  Object.entries(lists).flatMap(([prefix, list]) =>
    Object.entries(list).map(([id, message]) => [prefix + id, message] as const),
  ),
)

/** A sentence about each message of an app that replaces none, or has a placeholder without a value. */
export function listIneffectiveMessages(
  own: Readonly<Record<string, Readonly<Record<string, Message | undefined>>>>,
): readonly string[] {
  return Object.entries(own).flatMap(([tag, messages]) =>
    Object.entries(messages).flatMap(([id, message]) =>
      message === undefined ? [] : describeMessage(`languages.messages.${tag}: ${id}`, id, message),
    ),
  )
}

function describeMessage(path: string, id: string, message: Message): readonly string[] {
  const english = englishMessages.get(id)
  if (english === undefined) {
    const nearest = findNearest(id, [...englishMessages.keys()])
    return [`${path} is not the id of a message${nearest === undefined ? "" : `. Did you mean ${nearest}?`}`]
  }
  const known = new Set(["host", ...listPlaceholders(english)])
  const unknown = listPlaceholders(message).filter((name) => !known.has(name))
  if (unknown.length === 0) return []
  const values = [...known].map((name) => `{${name}}`).join(", ")
  return [`${path} has {${unknown.join("}, {")}}, which gets no value. It can have ${values}`]
}

function listPlaceholders(message: Message): readonly string[] {
  const texts = typeof message === "string" ? [message] : Object.values(message)
  return texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))
}
