import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { mailMessages } from "../../mail/message.js"
import { noticeMessages } from "../../mail/notices.js"
import { allLanguages } from "../../messages/languages/all.js"
import type { Message } from "../../messages/locale.js"
import { pageMessages } from "../../messages/pages.js"
import { passwordMailMessages } from "../../methods/password/mail-messages.js"
import { passwordMessages } from "../../methods/password/messages.js"
import { passkeyMessages } from "../../pages/passkey-form.js"
import { accountMailMessages } from "../account-area/mail-messages.js"
import { accountMessages } from "../account-area/messages.js"
import { nativeMessages } from "../native-apps/consent-page.js"
import { factorMessages } from "../second-factors/messages.js"

const withPrefix = (prefix: string, list: Readonly<Record<string, Message>>): readonly (readonly [string, Message])[] =>
  Object.entries(list).map(([id, message]) => [`${prefix}${id}`, message])

const english: ReadonlyMap<string, Message> = new Map([
  ...withPrefix("", pageMessages),
  ...withPrefix("passkey.", passkeyMessages),
  ...withPrefix("mail.", mailMessages),
  ...withPrefix("notice.", noticeMessages),
  ...withPrefix("password.", passwordMessages),
  ...withPrefix("passwordMail.", passwordMailMessages),
  ...withPrefix("factor.", factorMessages),
  ...withPrefix("native.", nativeMessages),
  ...withPrefix("account.", accountMessages),
  ...withPrefix("account.", accountMessages),
  ...withPrefix("accountMail.", accountMailMessages),
])

const formsOf = (message: Message | undefined): readonly string[] =>
  typeof message === "string" ? [message] : Object.values(message ?? {})
const placeholdersOf = (message: Message | undefined): readonly string[] =>
  formsOf(message).map((form) => [...form.matchAll(/\{\w+\}/g)].map(String).sort().join(" "))

/** Words that are the same in English, by language. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  de: [
    "code.label",
    "password.name",
    "password.code",
    "factor.code.label",
    "account.profile.name",
    "account.passkeys.title",
  ],
  fr: ["code.label", "password.code", "factor.code.label"],
  es: ["password.error.title", "account.error"],
  it: ["signIn.email", "password.email", "password.password", "account.password.title"],
  nl: ["code.label", "password.code", "factor.code.label", "account.passkeys.title"],
  da: ["reference"],
}

const languages = await Promise.all(
  allLanguages.map(async ({ tag, load }) => ({ tag, language: await load() }) as const),
)

it("there are twenty-two languages with English, and all of them can be loaded", () => {
  expect(allLanguages).toHaveLength(21)
  for (const { tag, language } of languages) expect(language.tag).toBe(tag)
  const files = readdirSync(new URL("../../messages/languages", import.meta.url)).filter((file) => file !== "all.ts")
  expect(files.sort()).toEqual(allLanguages.map(({ tag }) => `${tag.toLowerCase()}.ts`).sort())
})

it.each(languages)(
  "the file of $tag exports the language alone, named by its tag without hyphens",
  async ({ tag, language }) => {
    const exported: unknown = await import(`../../messages/languages/${tag.toLowerCase()}.ts`)
    expect({ ...Object(exported) }).toEqual({ [tag.replaceAll("-", "")]: language })
  },
)

describe.each(languages)("$tag", ({ tag, language: { messages, direction } }) => {
  const translated: Readonly<Record<string, Message>> = messages

  it("has every message, and no other", () => {
    expect(Object.keys(translated)).toEqual([...english.keys()])
    for (const [id, message] of Object.entries(translated)) {
      for (const form of formsOf(message)) expect(form.trim(), id).toBe(form)
      expect(
        formsOf(message).every((form) => form !== ""),
        id,
      ).toBe(true)
    }
  })

  it("has the placeholders of the English messages", () => {
    for (const [id, message] of english) {
      expect(new Set(placeholdersOf(translated[id])), id).toEqual(new Set(placeholdersOf(message)))
    }
  })

  it("has no English message", () => {
    const same = [...english.keys()].filter((id) => JSON.stringify(translated[id]) === JSON.stringify(english.get(id)))
    expect(same).toEqual(sameAsEnglish[tag] ?? [])
  })

  it("has a form of each counted message for every number", () => {
    const rules = new Intl.PluralRules(tag)
    for (const [id, message] of english) {
      if (typeof message === "string") continue
      const forms = translated[id]
      expect(typeof forms, id).toBe("object")
      const categories = Object.keys(Object(forms))
      // A sentence that reads the same for every number has one form.
      if (categories.length > 1)
        expect(categories.sort(), id).toEqual([...rules.resolvedOptions().pluralCategories].sort())
      else expect(categories, id).toEqual(["other"])
    }
  })

  it("is written in the direction of its script", () => {
    const script = new Intl.Locale(tag).maximize().script
    expect(direction ?? "ltr").toBe(script === "Arab" || script === "Hebr" ? "rtl" : "ltr")
  })
})
