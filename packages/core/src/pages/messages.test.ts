import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { chooseAmong, chooseLanguage, directionOf, toLanguage } from "./language.js"
import { translate } from "./messages.js"

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
  ])("for %j chooses %s", (header, language) => {
    expect(chooseAmong(languages, header)).toBe(language)
  })

  it.each(["", "fr", "*", ";q=1", "de;q=0", "de;q=x", ",,,"])("for %j finds none", (header) => {
    expect(chooseAmong(languages, header)).toBeUndefined()
  })
})

describe("chooseLanguage", () => {
  it("speaks English to everyone it has no words for", () => {
    expect(chooseLanguage(null)).toBe("en")
    expect(chooseLanguage("fr-FR,fr;q=0.9")).toBe("en")
  })

  it("takes any header", () => {
    fc.assert(fc.property(fc.string(), (header) => chooseLanguage(header) === "en"))
  })
})

describe("toLanguage", () => {
  it("turns a tag without words into English", () => {
    expect(toLanguage("constructor")).toBe("en")
    expect(toLanguage("en-GB")).toBe("en")
  })
})

describe("directionOf", () => {
  it("knows the languages that are written from right to left", () => {
    expect(directionOf("ar-EG")).toBe("rtl")
    expect(directionOf("HE")).toBe("rtl")
    expect(directionOf("en")).toBe("ltr")
  })
})

describe("phrase", () => {
  it("fills values in as they are, also where they look like a place to fill", () => {
    expect(translate("en", "way.back", { host: "{host}$&" })).toBe("Back to {host}$&")
  })

  it("leaves out what is not given", () => {
    expect(translate("en", "way.back")).toBe("Back to ")
  })

  it("fills each place of a sentence", () => {
    expect(translate("en", "title.page", { page: "Sign In", host: "app.example" })).toBe("Sign In – app.example")
  })
})
