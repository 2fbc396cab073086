import { describe, expect, it } from "vitest"
import { connectToMailbox, createMailbox, testEmail } from "./mailbox.js"

function messageTo(identifier: string, provider = testEmail()) {
  const url = `https://app.test/auth/callback/email?email=${identifier}`
  const request = new Request("https://app.test/auth/signin/email")
  return { identifier, url, token: "t", expires: new Date(0), provider, theme: {}, request }
}

describe("createMailbox", () => {
  it("throws before a message arrives", () => {
    const mailbox = createMailbox()
    expect(() => mailbox.lastLink()).toThrow("No message arrived")
    expect(() => mailbox.lastLinkTo("ada@example.com")).toThrow("No message arrived for ada@example.com")
  })

  it("returns the newest link, overall or for one address", async () => {
    const mailbox = createMailbox()
    await mailbox.sendVerificationRequest(messageTo("ada@example.com"))
    await mailbox.sendVerificationRequest(messageTo("grace@example.com"))
    expect(mailbox.lastLink()).toContain("grace@")
    expect(mailbox.lastLinkTo("ada@example.com")).toContain("ada@")
    expect(mailbox.messages.map(({ to }) => to)).toEqual(["ada@example.com", "grace@example.com"])
  })

  it("fails the next message after refuseNext", async () => {
    const mailbox = createMailbox()
    mailbox.refuseNext()
    await expect(mailbox.sendVerificationRequest(messageTo("ada@example.com"))).rejects.toThrow("mail server")
    await mailbox.sendVerificationRequest(messageTo("ada@example.com"))
    expect(mailbox.messages).toHaveLength(1)
  })
})

describe("testEmail", () => {
  it("throws without a mailbox", () => {
    expect(() => testEmail().sendVerificationRequest(messageTo("ada@example.com"))).toThrow("has no mailbox")
  })

  it("uses the mailbox as its sender, unless it has its own", async () => {
    const mailbox = createMailbox()
    const silent = async () => undefined
    expect(connectToMailbox(testEmail(), mailbox).sendVerificationRequest).toBe(mailbox.sendVerificationRequest)
    expect(connectToMailbox(testEmail({ sendVerificationRequest: silent }), mailbox).sendVerificationRequest).toBe(
      silent,
    )
  })
})
