import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chooseAmong, chooseLanguage, directionOf, toLanguage } from "./language.js"

describe("chooseLanguage", () => {
  it("falls back to English", () => {
    expect(chooseLanguage(null)).toBe("en")
    expect(chooseLanguage("fr-FR,fr;q=0.9")).toBe("en")
  })

  it("accepts any header", () => {
    fc.assert(fc.property(fc.string(), (header) => chooseLanguage(header) === "en"))
  })
})

describe("toLanguage", () => {
  it("falls back to English for a tag without a catalog", () => {
    expect(toLanguage("constructor")).toBe("en")
    expect(toLanguage("en-GB")).toBe("en")
  })
})

describe("chooseAmong", () => {
  const languages = ["en", "de", "pt-br"] as const

  it.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["DE", "de"],
    ["fr, de;q=0.5, en;q=0.9", "en"],
    ["en;q=0.2, de", "de"],
    ["pt-BR", "pt-br"],
    ["de;q=0, en", "en"],
  ])("chooses for %j the language %s", (header, language) => {
    expect(chooseAmong(languages, header)).toBe(language)
  })

  it.each(["", "fr", "*", ";q=1", "de;q=0", "de;q=x", ",,,"])("finds no language for %j", (header) => {
    expect(chooseAmong(languages, header)).toBeUndefined()
  })
})

describe("directionOf", () => {
  it("knows right-to-left languages", () => {
    expect(directionOf("ar-EG")).toBe("rtl")
    expect(directionOf("HE")).toBe("rtl")
    expect(directionOf("en")).toBe("ltr")
  })
})
