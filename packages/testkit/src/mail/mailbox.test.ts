import { describe, expect, it } from "vitest"
import { createMailbox, plugIn, testEmail } from "./mailbox.js"

function letterTo(identifier: string, provider = testEmail()) {
  const url = `https://app.test/auth/callback/email?email=${identifier}`
  const request = new Request("https://app.test/auth/signin/email")
  return { identifier, url, token: "t", expires: new Date(0), provider, theme: {}, request }
}

describe("createMailbox", () => {
  it("has no link before a mail arrives", () => {
    const mailbox = createMailbox()
    expect(() => mailbox.lastLink()).toThrow("No mail arrived")
    expect(() => mailbox.lastLinkTo("ada@example.com")).toThrow("No mail arrived at ada@example.com")
  })

  it("finds the newest link, of all or of one address", async () => {
    const mailbox = createMailbox()
    await mailbox.sendVerificationRequest(letterTo("ada@example.com"))
    await mailbox.sendVerificationRequest(letterTo("grace@example.com"))
    expect(mailbox.lastLink()).toContain("grace@")
    expect(mailbox.lastLinkTo("ada@example.com")).toContain("ada@")
    expect(mailbox.messages.map(({ to }) => to)).toEqual(["ada@example.com", "grace@example.com"])
  })

  it("refuses one mail when told to", async () => {
    const mailbox = createMailbox()
    mailbox.refuseNext()
    await expect(mailbox.sendVerificationRequest(letterTo("ada@example.com"))).rejects.toThrow("mail server")
    await mailbox.sendVerificationRequest(letterTo("ada@example.com"))
    expect(mailbox.messages).toHaveLength(1)
  })
})

describe("testEmail", () => {
  it("says that it needs a mailbox", () => {
    expect(() => testEmail().sendVerificationRequest(letterTo("ada@example.com"))).toThrow("needs a mailbox")
  })

  it("sends to the mailbox that it is plugged into, unless it has a sender of its own", async () => {
    const mailbox = createMailbox()
    const silent = async () => undefined
    expect(plugIn(testEmail(), mailbox).sendVerificationRequest).toBe(mailbox.sendVerificationRequest)
    expect(plugIn(testEmail({ sendVerificationRequest: silent }), mailbox).sendVerificationRequest).toBe(silent)
  })
})
