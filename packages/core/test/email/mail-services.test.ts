import { setEnvDefaults } from "@latchkey/core"
import { ForwardEmail } from "@latchkey/core/providers/forwardemail"
import { Loops } from "@latchkey/core/providers/loops"
import { Mailgun } from "@latchkey/core/providers/mailgun"
import { Postmark } from "@latchkey/core/providers/postmark"
import { Resend } from "@latchkey/core/providers/resend"
import { SendGrid } from "@latchkey/core/providers/sendgrid"
import type { AuthConfig, EmailConfig, EmailUserConfig } from "@latchkey/core/types"
import { memoryAdapter, type TestHost } from "@latchkey/testkit"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { customFetch } from "../../src/types/basics.js"
import { openHost } from "../setup/hosts.js"
import { type ArrivedMail, type MailServer, openMailServer, readForm } from "../setup/mail-server.js"
import { expectQuiet, pathOfPage } from "../setup/sign-ins.js"

const apiKey = "key-5f0c:not/for=eyes"
const from = "Harbour <mail@harbour.test>"
const email = "ada@corp.test"

let server: MailServer
beforeAll(async () => {
  server = await openMailServer()
})
afterAll(() => server.close())

interface Service {
  readonly create: (options: EmailUserConfig) => EmailConfig
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The body that the received mail should have. */
  readonly body: (mail: SentMail) => unknown
  readonly accepts: readonly [status: number, answer: string]
  readonly refuses: readonly (readonly [status: number, answer: string])[]
}

interface SentMail {
  readonly subject: string
  readonly text: unknown
  readonly html: unknown
  readonly url: unknown
}

const whole = ({ subject, text, html }: SentMail) => ({ from, to: email, subject, text, html })
const refusal = JSON.stringify({ name: "validation_error", message: `${email} is unknown, key ${apiKey}` })

const services: Readonly<Record<string, Service>> = {
  resend: {
    create: Resend,
    url: "https://api.resend.com/emails",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "user-agent": "latchkey" },
    body: whole,
    accepts: [200, '{"id":"1"}'],
    refuses: [
      [403, refusal],
      [429, refusal],
    ],
  },
  sendgrid: {
    create: SendGrid,
    url: "https://api.sendgrid.com/v3/mail/send",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: ({ subject, text, html }) => ({
      personalizations: [{ to: [{ email }] }],
      from: { email: "mail@harbour.test", name: "Harbour" },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
    }),
    accepts: [202, ""],
    refuses: [[401, '{"errors":[{"message":"The provided authorization grant is invalid","field":null}]}']],
  },
  postmark: {
    create: Postmark,
    url: "https://api.postmarkapp.com/email",
    headers: { "x-postmark-server-token": apiKey, accept: "application/json", "content-type": "application/json" },
    body: ({ subject, text, html }) => ({
      From: from,
      To: email,
      Subject: subject,
      TextBody: text,
      HtmlBody: html,
      MessageStream: "outbound",
    }),
    accepts: [200, '{"ErrorCode":0,"Message":"OK","MessageID":"1"}'],
    refuses: [
      [422, '{"ErrorCode":406,"Message":"inactive"}'],
      [200, '{"ErrorCode":406,"Message":"inactive"}'],
      [200, "{}"],
    ],
  },
  mailgun: {
    create: Mailgun,
    url: "https://api.mailgun.net/v3/harbour.test/messages",
    headers: {
      authorization: `Basic ${btoa(`api:${apiKey}`)}`,
      "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/),
    },
    body: whole,
    accepts: [200, '{"id":"<1@harbour.test>","message":"Queued"}'],
    refuses: [
      [401, "Forbidden"],
      [404, '{"message":"Domain not found"}'],
    ],
  },
  loops: {
    create: (options) => Loops({ transactionalId: "sign-in-mail", ...options }),
    url: "https://app.loops.so/api/v1/transactional",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: ({ url }) => ({ transactionalId: "sign-in-mail", email, dataVariables: { url } }),
    accepts: [200, '{"success":true}'],
    refuses: [
      [404, '{"success":false,"message":"not found"}'],
      [200, '{"success":false,"error":{"path":"dataVariables","message":"missing"}}'],
    ],
  },
  forwardemail: {
    create: ForwardEmail,
    url: "https://api.forwardemail.net/v1/emails",
    headers: { authorization: `Basic ${btoa(`${apiKey}:`)}`, "content-type": "application/json" },
    body: whole,
    accepts: [200, '{"id":"1","status":"queued"}'],
    refuses: [[401, '{"message":"Invalid API token"}']],
  },
}

function answer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  server.answer((response) => response.writeHead(status, headers).end(text))
}

function hostOf({ create }: Service, options: EmailUserConfig = {}): TestHost {
  const provider = create({ apiKey, from, [customFetch]: server.fetch, ...options })
  const host = openHost({ providers: [provider], adapter: memoryAdapter() })
  host.canaries.watch("the mail service's key", apiKey)
  return host
}

const lastMail = (): ArrivedMail => server.arrived.at(-1) ?? expect.fail("nothing arrived")
const readBody = async (mail: ArrivedMail): Promise<unknown> =>
  String(mail.headers["content-type"]).startsWith("multipart/") ? readForm(mail) : JSON.parse(mail.body)
const linkIn = (body: string): string =>
  /https:\/\/app\.test\/auth\/callback\/[^\s"\\]+/.exec(body.replaceAll("&amp;", "&"))?.[0] ??
  expect.fail("there is no link")
const failuresOf = ({ logger }: TestHost): string => JSON.stringify(logger.texts())

describe.each(Object.entries(services))("%s", (id, service) => {
  beforeEach(() => answer(...service.accepts))

  it.each(service.refuses)("LOG-02: logs only the status %i of a rejection", async (status, text) => {
    answer(status, text)
    const host = hostOf(service)
    host.canaries.watch("the address", email)
    const page = await host.browser.signIn(id, { email })
    expect(pathOfPage(page)).toBe("/auth/signin?error=EmailSignin")
    expect(failuresOf(host)).toMatch(
      new RegExp(`${service.create({}).name} did not accept the mail \\(status ${status}\\)`),
    )
    expect(failuresOf(host)).not.toContain(linkIn(lastMail().body))
    await expectQuiet(host, host.browser)
  })

  it("sends one mail in the service's format, and its link signs in", async () => {
    const host = hostOf(service)
    const before = server.arrived.length
    expect((await host.browser.signIn(id, { email })).url.pathname).toBe("/auth/verify-request")
    expect(server.arrived.length - before).toBe(1)
    const mail = lastMail()
    const url = linkIn(mail.body)
    expect(mail).toMatchObject({ method: "POST", url: service.url, headers: service.headers })
    const text = expect.stringContaining(url)
    const html = expect.stringContaining("<!DOCTYPE html>")
    expect(await readBody(mail)).toEqual(service.body({ subject: "Sign in to app.test", text, html, url }))
    await host.browser.open(url)
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(host.logger.errors).toEqual([])
  })

  it("follows no redirect, which would leak the key", async () => {
    answer(307, "", { location: "/elsewhere" })
    const host = hostOf(service)
    const before = server.arrived.length
    await host.browser.signIn(id, { email })
    expect(server.arrived.length - before).toBe(1)
    expect(failuresOf(host)).toContain("answered with a redirect, which is not followed")
  })

  it("sends nothing with a missing API key, nor with one that has a line break", async () => {
    for (const broken of ["", `${apiKey}\n`]) {
      const host = hostOf(service, { apiKey: broken })
      const before = server.arrived.length
      const page = await host.browser.signIn(id, { email })
      expect([pathOfPage(page), server.arrived.length - before]).toEqual(["/auth/error?error=Configuration", 0])
      expect(failuresOf(host)).toContain(`providers.${id}.apiKey: `)
    }
  })

  it("reads its API key from the environment", async () => {
    const { apiKey: _, ...options } = { apiKey, from, [customFetch]: server.fetch }
    const config: AuthConfig = { providers: [service.create(options)], secret: "s".repeat(32) }
    setEnvDefaults({ [`AUTH_${id.toUpperCase()}_KEY`]: apiKey }, config)
    const host = openHost({ providers: config.providers, adapter: memoryAdapter() })
    await host.browser.signIn(id, { email })
    expect(lastMail()).toMatchObject({ url: service.url, headers: service.headers })
  })

  it("allows a custom sendVerificationRequest without an API key", async () => {
    const links: string[] = []
    const before = server.arrived.length
    const sendVerificationRequest = ({ url }: { readonly url: string }) => void links.push(url)
    const provider = service.create({ sendVerificationRequest })
    const { browser } = openHost({ providers: [provider], adapter: memoryAdapter() })
    await browser.signIn(id, { email })
    await browser.open(links[0] ?? "")
    expect((await browser.session())?.user?.email).toBe(email)
    expect(server.arrived.length).toBe(before)
  })
})

describe("regions, domains and templates", () => {
  it.each([
    [SendGrid({ region: "eu" }), "https://api.eu.sendgrid.com/v3/mail/send"],
    [Mailgun({ region: "eu" }), "https://api.eu.mailgun.net/v3/harbour.test/messages"],
    [Mailgun({ domain: "mg.harbour.test" }), "https://api.mailgun.net/v3/mg.harbour.test/messages"],
  ])("set the URL of the request", async ({ options, ...provider }, url) => {
    answer(200, "{}")
    const config = { ...provider, options: { ...options, apiKey, from, [customFetch]: server.fetch } }
    const host = openHost({ providers: [config], adapter: memoryAdapter() })
    await host.browser.signIn(provider.id, { email })
    expect(lastMail().url).toBe(url)
  })

  it.each([
    // Possible in plain JavaScript.
    [SendGrid({ apiKey, region: "mars" as "eu" }), "providers.sendgrid.region: "],
    [Mailgun({ apiKey, region: "toString" as "eu" }), "providers.mailgun.region: "],
    [Mailgun({ apiKey, domain: "harbour.test/../x" }), "providers.mailgun.domain: must be a domain"],
    [Loops({ apiKey }), "providers.loops.transactionalId: must be the ID of a transactional email"],
    [Loops, "providers.loops."],
  ])("refuse the sign-in if they are invalid", async (provider, message) => {
    const host = openHost({ providers: [provider], adapter: memoryAdapter() })
    const { id } = typeof provider === "function" ? provider() : provider
    expect(pathOfPage(await host.browser.signIn(id, { email }))).toBe("/auth/error?error=Configuration")
    expect(failuresOf(host)).toContain(message)
  })
})
