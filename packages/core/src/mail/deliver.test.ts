import { inspect } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type MailServer, openMailServer } from "../../test/setup/mail-server.js"
import { deliver, type MailService, parseSender } from "./deliver.js"

const key = "key-5f0c"
const request = { url: "https://mail.test/send", headers: { authorization: `Bearer ${key}` }, body: "{}" }
const plain: MailService = { name: "Pigeon" }
const spoken: MailService = { name: "Pigeon", isRefusal: ({ taken }) => taken !== true }

let server: MailServer
beforeAll(async () => {
  server = await openMailServer()
})
afterAll(() => server.close())

async function failureOf(work: Promise<void>): Promise<string> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key)
  return error instanceof Error ? error.message : "it did not fail"
}

describe("deliver", () => {
  it("fails at the deadline if the service does not answer", async () => {
    server.answer(() => undefined)
    const options = { call: server.fetch, deadlineMs: 40 }
    expect(await failureOf(deliver(plain, request, options))).toBe("Pigeon did not answer in time")
  })

  it("fails at the deadline if the answer does not end", async () => {
    server.answer((response) => void response.writeHead(200).write("{"))
    const options = { call: server.fetch, deadlineMs: 40 }
    expect(await failureOf(deliver(spoken, request, options))).toBe("Pigeon did not answer in time")
  })

  it("fails at the deadline if a custom fetch ignores the signal", async () => {
    const call = () => new Promise<Response>(() => undefined)
    expect(await failureOf(deliver(plain, request, { call, deadlineMs: 40 }))).toBe("Pigeon did not answer in time")
  })

  it("LOG-02: names the system error and quotes nothing of the request if the service cannot be reached", async () => {
    const gone = await openMailServer()
    await gone.close()
    const message = await failureOf(deliver(plain, request, { call: gone.fetch }))
    expect(message).toBe("Pigeon cannot be reached (ECONNREFUSED)")
    const quoting = () => Promise.reject(new TypeError(`Bearer ${key} cannot be sent`))
    expect(await failureOf(deliver(plain, request, { call: quoting }))).toBe("Pigeon cannot be reached (TypeError)")
  })

  it("stops reading an answer that is too long", async () => {
    server.answer((response) => void response.end(`{"taken":true,"padding":"${"x".repeat(100_000)}"}`))
    const message = await failureOf(deliver(spoken, request, { call: server.fetch }))
    expect(message).toBe("Pigeon sent an unknown answer (status 200)")
  })

  it.each(["", "taken", "null", "[]"])("does not accept the answer %j", async (text) => {
    server.answer((response) => void response.end(text))
    expect(await failureOf(deliver(spoken, request, { call: server.fetch }))).toMatch(/^Pigeon (sent|did not)/)
  })

  it("accepts any 2xx status if the service sends no more", async () => {
    server.answer((response) => void response.writeHead(202).end())
    await expect(deliver(plain, request, { call: server.fetch })).resolves.toBeUndefined()
  })
})

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
  ])("splits %j", (from, sender) => {
    expect(parseSender(from)).toEqual(sender)
  })
})
