import { describe, expect, it } from "vitest"
import { pageWords } from "./pages.js"
import { english, type Speech } from "./speech.js"
import { createWords } from "./words.js"

const list = {
  plain: "Hello, {name} of {host}",
  counted: { one: "{count} letter", other: "{count} letters" },
} as const

describe("createWords", () => {
  it("fills in values as they are: braces in a value stay", () => {
    const words = createWords(list, "", english, { host: "{name}" })
    expect(words("plain", { name: "$& {host}" })).toBe("Hello, $& {host} of {name}")
    expect(words("plain")).toBe("Hello,  of {name}")
  })

  it("takes the sentence of the language, else the English one", () => {
    const speech: Speech = { language: "de", direction: "ltr", sentences: { "a.plain": "Hallo {name}" } }
    expect(createWords(list, "a.", speech)("plain", { name: "Ada" })).toBe("Hallo Ada")
    expect(createWords(list, "b.", speech)("plain", { name: "Ada", host: "x" })).toBe("Hello, Ada of x")
  })

  it("chooses the plural by the rules of the language, and writes numbers as it does", () => {
    const words = createWords(list, "", english)
    expect([1, 2, 0].map((count) => words("counted", { count }))).toEqual(["1 letter", "2 letters", "0 letters"])
    const forms = { one: "{count} litera", few: "{count} litery", many: "{count} liter", other: "{count} litery" }
    const polish = createWords(list, "", { language: "pl", direction: "ltr", sentences: { counted: forms } })
    expect([1, 3, 12].map((count) => polish("counted", { count }))).toEqual(["1 litera", "3 litery", "12 liter"])
    expect(createWords(list, "", english)("counted", { count: 1200 })).toBe("1,200 letters")
  })

  it("ignores names that every object has", () => {
    expect(
      createWords(pageWords, "", english)("signIn.with", { toString: "x" } as object as Record<string, string>),
    ).toBe("Sign in with ")
  })
})
