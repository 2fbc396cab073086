import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { accountWords } from "./account.js"
import { accountDataWords } from "./account-data.js"
import { accountMailWords } from "./account-mails.js"
import { allLanguages } from "./languages/all.js"
import { mailWords } from "./mail.js"
import { nativeWords } from "./native.js"
import { pageWords } from "./pages.js"
import { passkeyWords } from "./passkeys.js"
import { passwordMailWords } from "./password-mails.js"
import { passwordWords } from "./passwords.js"
import { factorWords } from "./second-factors.js"
import type { Sentence } from "./speech.js"

const withPrefix = (
  prefix: string,
  list: Readonly<Record<string, Sentence>>,
): readonly (readonly [string, Sentence])[] =>
  Object.entries(list).map(([id, sentence]) => [`${prefix}${id}`, sentence])

const english: ReadonlyMap<string, Sentence> = new Map([
  ...withPrefix("", pageWords),
  ...withPrefix("passkey.", passkeyWords),
  ...withPrefix("mail.", mailWords),
  ...withPrefix("password.", passwordWords),
  ...withPrefix("passwordMail.", passwordMailWords),
  ...withPrefix("factor.", factorWords),
  ...withPrefix("native.", nativeWords),
  ...withPrefix("account.", accountWords),
  ...withPrefix("accountData.", accountDataWords),
  ...withPrefix("accountMail.", accountMailWords),
])

const formsOf = (sentence: Sentence | undefined): readonly string[] =>
  typeof sentence === "string" ? [sentence] : Object.values(sentence ?? {})
const placeholdersOf = (sentence: Sentence | undefined): readonly string[] =>
  formsOf(sentence).map((form) => [...form.matchAll(/\{\w+\}/g)].map(String).sort().join(" "))

/** Words that are the same in English, by language. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  de: ["code.label", "password.code", "factor.code.label", "account.profile.name", "account.passkeys.title"],
  fr: ["code.label", "password.code", "factor.code.label"],
  es: ["password.error.title", "account.error"],
  it: ["signIn.email", "password.email", "password.password", "account.password.title"],
  nl: ["code.label", "password.code", "factor.code.label", "account.passkeys.title"],
  da: ["reference"],
}

const languages = await Promise.all(
  allLanguages.map(async ({ tag, load }) => ({ tag, language: await load() }) as const),
)

it("there are twenty languages with English, and all of them can be loaded", () => {
  expect(allLanguages).toHaveLength(19)
  for (const { tag, language } of languages) expect(language.tag).toBe(tag)
  const files = readdirSync(new URL("languages", import.meta.url)).filter((file) => file !== "all.ts")
  expect(files.sort()).toEqual(allLanguages.map(({ tag }) => `${tag.toLowerCase()}.ts`).sort())
})

describe.each(languages)("$tag", ({ tag, language: { sentences, direction } }) => {
  const translated: Readonly<Record<string, Sentence>> = sentences

  it("has every sentence, and no other", () => {
    expect(Object.keys(translated)).toEqual([...english.keys()])
    for (const [id, sentence] of Object.entries(translated)) {
      for (const form of formsOf(sentence)) expect(form.trim(), id).toBe(form)
      expect(
        formsOf(sentence).every((form) => form !== ""),
        id,
      ).toBe(true)
    }
  })

  it("has the placeholders of the English sentences", () => {
    for (const [id, sentence] of english) {
      expect(new Set(placeholdersOf(translated[id])), id).toEqual(new Set(placeholdersOf(sentence)))
    }
  })

  it("has no English sentence", () => {
    const same = [...english.keys()].filter((id) => JSON.stringify(translated[id]) === JSON.stringify(english.get(id)))
    expect(same).toEqual(sameAsEnglish[tag] ?? [])
  })

  it("has a form of each counted sentence for every number", () => {
    const rules = new Intl.PluralRules(tag)
    for (const [id, sentence] of english) {
      if (typeof sentence === "string") continue
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
