import { type Translate, translateFrom } from "../../messages/translate.js"
import type { PageFrame } from "../../pages/document.js"
import { accountMessages } from "./messages.js"

/** The messages of the account area, in the language of the page. */
export function translateAccount({ locale, siteName }: PageFrame): Translate<typeof accountMessages> {
  return translateFrom(accountMessages, "account.", locale, { host: siteName })
}

/** The messages of a section, whose ids begin with its name, and those that all share. Null if there is none with an id. */
export function translateSection(section: string): (id: string, frame: PageFrame) => string | null {
  return (id, frame) => {
    const key = [`${section}.${id}`, id].find((one) => Object.hasOwn(accountMessages, one))
    return key === undefined ? null : translateAccount(frame)(key as keyof typeof accountMessages) // as: just found.
  }
}
