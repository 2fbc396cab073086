import { describe, expect, it } from "vitest"
import { english, type Locale } from "./locale.js"
import { pageMessages } from "./pages.js"
import { translateFrom } from "./translate.js"

const list = {
  plain: "Hello, {name} of {host}",
  counted: { one: "{count} letter", other: "{count} letters" },
} as const

describe("translateFrom", () => {
  it("fills in values as they are: braces in a value stay", () => {
    const messages = translateFrom(list, "", english, { host: "{name}" })
    expect(messages("plain", { name: "$& {host}" })).toBe("Hello, $& {host} of {name}")
    expect(messages("plain")).toBe("Hello,  of {name}")
  })

  it("takes the message of the language, else the English one", () => {
    const locale: Locale = { language: "de", direction: "ltr", messages: { "a.plain": "Hallo {name}" } }
    expect(translateFrom(list, "a.", locale)("plain", { name: "Ada" })).toBe("Hallo Ada")
    expect(translateFrom(list, "b.", locale)("plain", { name: "Ada", host: "x" })).toBe("Hello, Ada of x")
  })

  it("chooses the plural by the rules of the language, and writes numbers as it does", () => {
    const messages = translateFrom(list, "", english)
    expect([1, 2, 0].map((count) => messages("counted", { count }))).toEqual(["1 letter", "2 letters", "0 letters"])
    const forms = { one: "{count} litera", few: "{count} litery", many: "{count} liter", other: "{count} litery" }
    const polish = translateFrom(list, "", { language: "pl", direction: "ltr", messages: { counted: forms } })
    expect([1, 3, 12].map((count) => polish("counted", { count }))).toEqual(["1 litera", "3 litery", "12 liter"])
    expect(translateFrom(list, "", english)("counted", { count: 1200 })).toBe("1,200 letters")
  })

  it("isolates a value of a visitor that would reorder the sentence", () => {
    const arabic: Locale = { language: "ar", direction: "rtl", messages: { plain: "مرحبا {name} في {host}" } }
    const say = (locale: Locale, name: string) => translateFrom(list, "", locale, { host: "x" })("plain", { name })
    expect(say(arabic, "7ada@example.com")).toBe("مرحبا \u20687ada@example.com\u2069 في x")
    expect(say(arabic, "")).toBe("مرحبا  في x")
    expect(say(english, "ada@example.com")).toBe("Hello, ada@example.com of x")
    expect(say(english, "עדה")).toBe("Hello, \u2068עדה\u2069 of x")
    // Its own end of the isolation, and a change of the direction, end with the value.
    expect(say(english, "a\u2069\u202eb")).toBe("Hello, \u2068a\u202eb\u2069 of x")
  })

  it("ignores names that every object has", () => {
    expect(
      translateFrom(pageMessages, "", english)("signIn.with", { toString: "x" } as object as Record<string, string>),
    ).toBe("Sign in with ")
  })
})
