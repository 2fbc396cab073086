import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createCanaries, findLeaks } from "./leaks.js"

const secret = "c4n4ry+/&é ~?>?>?>?>0123456789"
const formsOf = (text: string) => findLeaks([text], [{ name: "secret", value: secret }]).map(({ form }) => form)

describe("findLeaks", () => {
  it.each([
    ["plain", `before ${secret} after`],
    ["percent-encoded", `https://app.test/?x=${encodeURIComponent(secret)}`],
    ["form-encoded", new URLSearchParams({ a: `1 ${secret}` }).toString()],
    ["html", `<p>${secret.replace("&", "&amp;")}</p>`],
    ["hex", Buffer.from(secret).toString("hex").toUpperCase()],
    ["base64", Buffer.from(secret).toString("base64")],
    ["base64url", Buffer.from(`xx${secret}`).toString("base64url")],
  ])("finds a secret in the form %s", (form, text) => {
    expect(formsOf(text)).toContain(form)
  })

  it("finds quotes and line breaks in JSON", () => {
    const value = 'pass"word\nwith more'
    expect(findLeaks([JSON.stringify({ value })], [{ name: "password", value }])).toMatchObject([{ form: "json" }])
  })

  it("finds any secret in base64 at any offset", () => {
    const character = fc.integer({ min: 0, max: 0x2ff }).map((code) => String.fromCodePoint(code))
    const word = fc.string({ unit: character, minLength: 8, maxLength: 40 })
    fc.assert(
      fc.property(word, fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 8 }), (value, before, after) => {
        const text = Buffer.concat([before, Buffer.from(value), after]).toString("base64url")
        expect(findLeaks([text], [{ name: "secret", value }])).not.toEqual([])
      }),
    )
  })

  it("returns no leaks, or each leak with its position", () => {
    const canaries = createCanaries()
    const password = canaries.plant("password")
    canaries.plant("token")
    expect(findLeaks(["nothing", "to see"], canaries.all)).toEqual([])
    expect(findLeaks(["nothing", `--${password}`], canaries.all)).toEqual([
      { canary: "password", form: "plain", text: 1, at: 2 },
    ])
  })

  it("rejects secrets that are too short", () => {
    expect(() => createCanaries().watch("pin", "1234")).toThrow(RangeError)
  })
})
