import { accountWords } from "../../messages/account.js"
import { accountDataWords } from "../../messages/account-data.js"
import { createWords, type Words } from "../../messages/words.js"
import type { PageFrame } from "../../pages/document.js"

/** The sentences of the account area, in the language of the page. */
export function sayAccount({ speech, siteName }: PageFrame): Words<typeof accountWords> {
  return createWords(accountWords, "account.", speech, { host: siteName })
}

/** The sentences of a section, whose ids begin with its name, and those that all share. Null if there is none with an id. */
export function sayOf(section: string): (id: string, frame: PageFrame) => string | null {
  return (id, frame) => {
    const key = [`${section}.${id}`, id].find((one) => Object.hasOwn(accountWords, one))
    return key === undefined ? null : sayAccount(frame)(key as keyof typeof accountWords) // As was just found.
  }
}

/** The same for the sections about the address, the export and the deletion. */
export function sayData({ speech, siteName }: PageFrame): Words<typeof accountDataWords> {
  return createWords(accountDataWords, "accountData.", speech, { host: siteName })
}

/** As `sayOf`, for those sections. */
export function sayDataOf(section: string): (id: string, frame: PageFrame) => string | null {
  return (id, frame) => {
    const key = `${section}.${id}`
    return Object.hasOwn(accountDataWords, key) ? sayData(frame)(key as keyof typeof accountDataWords) : null
  }
}
