import { createTransport } from "nodemailer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type MailServer, startMailServer } from "./mail-server.js"
import { type MailStore, openMailStore } from "./mail-store.js"

let mails: MailStore
let server: MailServer

beforeEach(async () => {
  mails = openMailStore(":memory:")
  server = await startMailServer(0, mails)
})

afterEach(async () => {
  await server.close()
  mails.close()
})

async function send(mail: { readonly subject?: string; readonly text: string; readonly html?: string }): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: server.port, secure: false })
  await transport.sendMail({ from: "App <app@demo.example>", to: "grace@example.com", ...mail })
}

describe("the mail server", () => {
  it("rejects a mail that is too large and accepts the next one", async () => {
    await expect(send({ text: "a".repeat(2 * 1024 * 1024) })).rejects.toMatchObject({ responseCode: 552 })
    await send({ text: "small" })
    expect(mails.list()).toHaveLength(1)
  })

  it("stores sender, recipient, subject, text and HTML of a mail", async () => {
    await send({ subject: "Grüße aus Zürich 🔑", text: "Hallo", html: "<p>Hallo</p>" })
    expect(mails.list()).toEqual([
      {
        id: 1,
        from: "App <app@demo.example>",
        to: "grace@example.com",
        subject: "Grüße aus Zürich 🔑",
        receivedAt: expect.any(Date),
        text: "Hallo\n",
        html: "<p>Hallo</p>\n",
      },
    ])
  })

  it("uses another port when the wanted one is in use", async () => {
    const second = await startMailServer(server.port, mails)
    expect(second.port).not.toBe(server.port)
    await second.close()
  })
})

describe("the mail store", () => {
  it("keeps the newest fifty mails, newest first", () => {
    for (let number = 1; number <= 60; number++) {
      mails.add({ from: "", to: "", subject: `mail ${number}`, receivedAt: new Date(0), text: "", html: "" })
    }
    const kept = mails.list()
    expect(kept).toHaveLength(50)
    expect([kept[0]?.subject, kept.at(-1)?.subject]).toEqual(["mail 60", "mail 11"])
    expect(mails.find(10)).toBeNull()
    expect(mails.find(60)?.subject).toBe("mail 60")
  })
})
