import { describe, expect, it } from "vitest"
import { parseSender } from "./sender.js"

describe("parseSender", () => {
  it.each([
    "",
    "Harbour",
    "Harbour <>",
    "a@",
    "@b.test",
    "a@b.test, c@d.test",
    "a@b.test\r\nBcc: c@d.test",
    "a@b/../c",
  ])("refuses %j", (from) => {
    expect(() => parseSender(from)).toThrow(/^`from` must be an address/)
  })

  it.each([
    ["mail@harbour.test", { email: "mail@harbour.test" }],
    [" mail@harbour.test ", { email: "mail@harbour.test" }],
    ["<mail@harbour.test>", { email: "mail@harbour.test" }],
    ["Harbour <mail@harbour.test>", { name: "Harbour", email: "mail@harbour.test" }],
    ['"Harbour, the app" <mail@harbour.test> ', { name: "Harbour, the app", email: "mail@harbour.test" }],
  ])("takes %j apart", (from, sender) => {
    expect(parseSender(from)).toEqual(sender)
  })
})
