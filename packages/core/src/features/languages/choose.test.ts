import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createLanguageChooser } from "./choose.js"

const available = ["en", "de", "pt-BR", "zh-Hans", "he", "es"]
const choose = (...wishes: readonly string[]) => createLanguageChooser(available)(wishes)

describe("createLanguageChooser", () => {
  it.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["DE", "de"],
    ["fr, de;q=0.5, en;q=0.9", "en"],
    ["en;q=0.2, de", "de"],
    ["de;q=0, en", "en"],
    ["pt-BR", "pt-BR"],
    ["zh-Hans-CN", "zh-Hans"],
    ["de-Latn-DE-1996, en", "de"],
  ])("looks %j up, RFC 4647 section 3.4: %s", (header, language) => {
    expect(choose(header)).toBe(language)
  })

  it("prefers the first of two that are written the same way", () => {
    expect(createLanguageChooser(["en", "pt-PT", "pt-BR"])(["pt"])).toBe("pt-PT")
  })

  it.each([
    ["pt-PT", "pt-BR"],
    ["pt", "pt-BR"],
    ["zh-CN", "zh-Hans"],
    ["zh-SG", "zh-Hans"],
    ["iw", "he"],
    ["es-419", "es"],
  ])("chooses for %j a language that is written the same way: %s", (header, language) => {
    expect(choose(header)).toBe(language)
  })

  it.each([
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["zh-Hant-MO", "zh-Hant"],
    ["zh-SG", "zh-Hans"],
    ["zh", "zh-Hans"],
  ])("chooses for %j the Chinese in its script: %s", (header, language) => {
    expect(createLanguageChooser(["en", "zh-Hans", "zh-Hant"])([header])).toBe(language)
  })

  it.each(["", "fr", "*", ";q=1", "de;q=0", "de;q=x", ",,,", "zh-TW", "zh-Hant", "sr"])(
    "finds no language for %j",
    (header) => {
      expect(choose(header)).toBeUndefined()
    },
  )

  it("prefers the first wish to the second", () => {
    expect(choose("de", "en;q=1")).toBe("de")
    expect(choose("fr", "es")).toBe("es")
  })

  it("accepts any header", () => {
    fc.assert(fc.property(fc.string(), (header) => [...available, undefined].includes(choose(header))))
  })

  it("reads no more than the ranges of a browser", () => {
    expect(choose(`${"xx,".repeat(1000)}de`)).toBeUndefined()
    expect(choose(`de-${Array.from({ length: 9 }, (_, n) => `variant${n}`).join("-")}`)).toBeUndefined()
  })
})
