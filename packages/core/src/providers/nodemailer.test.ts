import { inspect } from "node:util"
import { memoryAdapter } from "@latchkey/testkit"
import { createTransport } from "nodemailer"
import { describe, expect, it, vi } from "vitest"
import { openHost } from "../../test/setup/hosts.js"
import { post } from "../../test/setup/requests.js"
import { resolveProvider } from "../config/providers.js"
import { listBrokenRules } from "../methods/option-rules.js"
import type { EmailConfig } from "../types/providers.js"
import { Email } from "./email.js"
import { Nodemailer } from "./nodemailer.js"

const url = "https://app.test/auth/callback/nodemailer?token=mail-token-7c&email=ada%40corp.test"

interface SentMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly message: string
}

/** A nodemailer transport plugin that records emails or fails. */
function createTransportPlugin(fail?: Error, outcome: Record<string, unknown> = {}) {
  const sent: SentMail[] = []
  let closed = 0
  return {
    sent,
    closed: () => closed,
    plugin: {
      name: "kept",
      version: "1",
      close: () => {
        closed += 1
      },
      send(mail: { message: KeptMessage }, done: (error: Error | null, info?: unknown) => void) {
        if (fail) return done(fail)
        mail.message.build((error, message) => {
          sent.push({ envelope: mail.message.getEnvelope(), message: String(message) })
          done(error, { accepted: [], ...outcome })
        })
      },
    },
  }
}

interface KeptMessage {
  build(done: (error: Error | null, message: Buffer) => void): void
  getEnvelope(): SentMail["envelope"]
}

async function send(config: EmailConfig): Promise<void> {
  const provider = resolveProvider(config, undefined)
  if (provider.type !== "email") throw new TypeError("not an email provider")
  await provider.sendVerificationRequest({
    identifier: "ada@corp.test",
    url,
    expires: new Date(0),
    provider,
    token: "mail-token-7c",
    theme: {},
    request: new Request("https://app.test/auth/signin/nodemailer"),
  })
}

describe("Nodemailer", () => {
  it("throws without a server", () => {
    expect(() => Nodemailer({ server: undefined })).toThrow(/`server` is missing/)
    expect(() => Nodemailer({ server: "" })).toThrow(/`server` is missing/)
  })

  it("LOG-02: throws an error without address, link or token if the server rejects the email", async () => {
    const refusal = Object.assign(new Error("550 ada@corp.test unknown, see mail-token-7c"), {
      code: "EENVELOPE",
      responseCode: 550,
      rejected: ["ada@corp.test"],
    })
    const error = await send(Nodemailer({ server: createTransportPlugin(refusal).plugin })).catch((e: unknown) => e)
    expect(error).toMatchObject({ message: "The email could not be sent (EENVELOPE 550)" })
    expect(inspect(error, { depth: 9, showHidden: true }).replace(/^\s+at .*$/gm, "")).not.toMatch(/ada@|mail-token/)
  })

  it("says what the mail server answered, without anything of the email", async () => {
    const refuse = (response: string) =>
      send(
        Nodemailer({
          server: createTransportPlugin(
            Object.assign(new Error("x"), { code: "EENVELOPE", responseCode: 550, response }),
          ).plugin,
        }),
      )
    await expect(refuse("550 5.7.1 Relaying denied for harbour.test, see policy 42")).rejects.toThrow(
      /^The email could not be sent \(EENVELOPE 550\): 550 5\.7\.1 Relaying denied for harbour\.test, see policy 42$/,
    )
    for (const [quoted, shown] of [
      ["<ada@corp.test>: User unknown", "[withheld] User unknown"],
      ["5.1.1 User ada is unknown", "5.1.1 User [withheld] is unknown"],
      ["spam: https://app.test/auth/callback?token=1", "spam: [withheld]"],
      ["spam (mail-token-7c) in email", "spam [withheld] in email"],
      ["code 123 456, 123456, or 0123456789abcdefghij", "code [withheld], [withheld] or [withheld]"],
      ["a\r\n[auth][error] b", "a [auth][error] b"],
      ["x ".repeat(500), "x ".repeat(98).trim()],
    ]) {
      await expect(refuse(`550 ${quoted}`)).rejects.toThrow(
        expect.objectContaining({ message: `The email could not be sent (EENVELOPE 550): 550 ${shown}` }),
      )
    }
  })

  it.each(["rejected", "pending"])("throws an error without the address if the recipient is %s", async (field) => {
    const { plugin } = createTransportPlugin(undefined, { [field]: ["ada@corp.test"] })
    await expect(send(Nodemailer({ server: plugin }))).rejects.toThrow(/^The mail server did not accept the recipient$/)
  })

  it("sends the link as text and HTML from the configured sender, and closes its connection", async () => {
    const { plugin, sent, closed } = createTransportPlugin()
    await send(Nodemailer({ server: plugin, from: "Harbour <mail@harbour.test>" }))
    expect(sent).toHaveLength(1)
    expect(sent[0]?.envelope).toEqual({ from: "mail@harbour.test", to: ["ada@corp.test"] })
    expect(sent[0]?.message).toContain("Subject: Sign in to app.test")
    expect(sent[0]?.message).toMatch(/Content-Type: text\/plain[\s\S]+Content-Type: text\/html/)
    expect(sent[0]?.message.replace(/=\r?\n/g, "").replace(/=3D/g, "=")).toContain("token=mail-token-7c")
    expect(closed()).toBe(1)
  })

  it("sends from the service's host without a configured sender", async () => {
    const { plugin, sent } = createTransportPlugin()
    await send(Nodemailer({ server: plugin }))
    expect(sent[0]?.envelope.from).toBe("no-reply@app.test")
  })

  it("uses an existing transporter and leaves it open", async () => {
    const { plugin, sent, closed } = createTransportPlugin()
    // The types of nodemailer require more of a plugin than its code does.
    await send(Nodemailer({ server: createTransport(plugin as never) }))
    expect(sent).toHaveLength(1)
    expect(closed()).toBe(0)
  })

  it("accepts an SMTP URL with the line end of a file", () => {
    expect(Nodemailer({ server: "smtp://127.0.0.1:1\n" })).toMatchObject({ server: "smtp://127.0.0.1:1" })
    expect(() => Nodemailer({ server: "\n" })).toThrow(/`server` is missing/)
  })

  it.each(["smtp://user:pa#ss@127.0.0.1:587", "smtp://user:pa/ss@127.0.0.1:587", "127.0.0.1:587", "http://127.0.0.1"])(
    "is unusable with %j in place of an SMTP URL, says so at the start, and shows no password",
    async (server) => {
      const warn = vi.spyOn(process, "emitWarning").mockReturnValue()
      const provider = Nodemailer({ server, from: "a@b.example" })
      const sentence = "must be an SMTP URL, such as smtp://user:password@mail.example.com:587"
      await expect(send(provider)).rejects.toThrow(`Nodemailer: \`server\` ${sentence}`)
      const host = openHost({ adapter: memoryAdapter(), providers: [provider] })
      const { location } = await post(host.browser, "/auth/signin/nodemailer", { email: "ada@corp.test" })
      expect(location).toBe("https://app.test/auth/error?error=Configuration")
      expect(host.logger.errors[0]?.message).toContain(`providers.nodemailer.server: ${sentence}`)
      expect(warn).not.toHaveBeenCalled()
    },
  )

  it("takes any server beside the app's own sendVerificationRequest", () => {
    const own = Nodemailer({ server: "mail", sendVerificationRequest: () => undefined })
    expect(listBrokenRules(own)).toEqual([])
    expect(listBrokenRules(Nodemailer({ server: " smtps://user:pa%23ss@127.0.0.1?pool=true\n" }))).toEqual([])
  })

  it("accepts options and SMTP URLs", async () => {
    await send(Nodemailer({ server: { jsonTransport: true } }))
    await expect(send(Nodemailer({ server: "smtp://127.0.0.1:1" }))).rejects.toThrow(
      /^The mail server at 127\.0\.0\.1:1 cannot be reached.* Check `server` \(E/,
    )
  })

  it.each([
    ["EAUTH", "The mail server refused the user name or password. Check `server` (EAUTH 535)"],
    ["EDNS", "The name of the mail server is unknown. Check `server` (EDNS 535)"],
    ["ETIMEDOUT", "The mail server at 192.0.2.1:587 did not answer in time. Check `server` (ETIMEDOUT 535)"],
  ])("says what to check after %s", async (code, message) => {
    const failure = Object.assign(new Error("quoted"), { code, responseCode: 535, address: "192.0.2.1", port: 587 })
    const error = await send(Nodemailer({ server: createTransportPlugin(failure).plugin })).catch((e: unknown) => e)
    expect(error).toMatchObject({ message })
  })

  it("uses the app's own sendVerificationRequest", async () => {
    const links: string[] = []
    const sendVerificationRequest = (params: { readonly url: string }) => void links.push(params.url)
    await send(Nodemailer({ server: "smtp://127.0.0.1:1", sendVerificationRequest }))
    expect(links).toEqual([url])
  })
})

describe("Email", () => {
  it("is the same provider under the ID email", () => {
    expect(Email({ server: { jsonTransport: true } })).toMatchObject({ id: "email", type: "email", maxAge: 86_400 })
    expect(() => Email({})).toThrow(/`server` is missing/)
  })
})
