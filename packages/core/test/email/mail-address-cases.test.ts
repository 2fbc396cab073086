import { Resend } from "@latchkey/core/providers/resend"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { customFetch } from "../../src/types/basics.js"
import { openHost } from "../setup/hosts.js"
import { callsOf, email, expectUnsaid, openMail, recordOf } from "../setup/mail-setup.js"
import { get } from "../setup/requests.js"
import { expectQuiet, pathOfPage } from "../setup/sign-ins.js"

const refused = "/auth/signin?error=EmailSignin"

describe("an invalid address", () => {
  it.each([
    ["MAIL-01", "a@evil.test,v@corp.test"],
    ["MAIL-01", "a@evil.test;v@corp.test"],
    ["MAIL-01", "a@evil.test v@corp.test"],
    ["MAIL-02", "a@evil.test,corp.test"],
    ["MAIL-03", "attacker,victim@corp.test"],
    ["MAIL-03", "x:v@corp.test;"],
    ["MAIL-04", '"v@corp.test"@evil.test'],
    ["MAIL-04", '"a b"@c.test'],
    ["MAIL-05", "v\uFF20corp.test"],
    ["MAIL-05", "v\uFE6Bcorp.test"],
    ["MAIL-06", "\u212Aim@corp.test"],
    ["MAIL-06", "\u017Fue@corp.test"],
    ["MAIL-06", "\u0130@corp.test"],
    ["MAIL-07", "v@corp.test\r\nBcc:a@evil.test"],
    ["MAIL-07", "a\nX: y@b.test"],
    ["MAIL-07", "v\0@corp.test"],
    ["MAIL-07", "v@corp.test\0"],
    ["MAIL-08", "<v@corp.test>"],
    ["MAIL-08", "V <v@corp.test>"],
    ["MAIL-08", "v(comment)@corp.test"],
    ["MAIL-08", "=?utf-8?q?v=40corp.test?=@evil.test"],
    ["MAIL-09", "a@localhost"],
    ["MAIL-09", "a@b"],
    ["MAIL-09", "a@[127.0.0.1]"],
    ["MAIL-09", "a@b..test"],
    ["MAIL-09", "a@-b.test"],
    ["MAIL-09", `${"a".repeat(65)}@corp.test`],
    ["MAIL-09", `a@${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(20)}.test`],
    ["MAIL-10", ""],
  ])("%s: %j sends, stores and reports nothing, and a valid one works afterwards", async (_, address) => {
    const host = openMail()
    const page = await host.browser.signIn("email", { email: address })
    expect([pathOfPage(page), host.mailbox.messages, callsOf(host)]).toEqual([refused, [], []])
    expect(host.logger.errors).toMatchObject([{ type: "EmailSignInError" }])
    if (address !== "") expectUnsaid(host, [address])
    await expectQuiet(host, host.browser, host.adapter)
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(email)
  })

  it.each([[["v@corp.test"]], [{}], [1], [true]])(
    "MAIL-10: is answered with 400 if it is not text: %j",
    async (address) => {
      const host = openMail()
      const csrfToken = await host.browser.csrfToken()
      const response = await host.browser.fetch("/auth/signin/email", { json: { csrfToken, email: address } })
      expect([response.status, host.mailbox.messages, callsOf(host)]).toEqual([400, [], []])
    },
  )

  it("MAIL-10: redirects back to the form if it is missing or empty (documented)", async () => {
    for (const json of [{}, { email: null }, { email: "" }]) {
      const host = openMail()
      const csrfToken = await host.browser.csrfToken()
      const response = await host.browser.fetch("/auth/signin/email", { json: { csrfToken, ...json } })
      const isRefused = response.status === 400 || response.headers.get("location") === `https://app.test${refused}`
      expect([isRefused, host.mailbox.messages, callsOf(host)]).toEqual([true, [], []])
    }
  })
})

describe("a normalized address", () => {
  it.each([
    ["a wide full stop", "v@corp\u3002test"],
    ["capitals and blanks", " V@CORP.Test "],
  ])("MAIL-05: the address %s is stored, looked up and emailed as the same text", async (_, address) => {
    const host = openMail()
    await host.browser.signIn("email", { email: address })
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([email])
    expect(new URL(host.mailbox.lastLink()).searchParams.get("email")).toBe(email)
    expect(recordOf(host).identifier).toBe(email)
    expect(host.adapter.calls.find(({ method }) => method === "getUserByEmail")?.args).toEqual([email])
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.adapter.getUserByEmail(email))?.email).toBe(email)
  })

  it("MAIL-06: never matches the account of a look-alike, however the store compares", async () => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "u-kim", email: "kim@corp.test", emailVerified: new Date() })
    // Like a database with a lenient collation, which ignores accents and widths of letters.
    const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    const getUserByEmail = (address: string) => adapter.getUserByEmail(plain(address))
    const normalizeIdentifier = (text: string) => text
    const host = openMail({ normalizeIdentifier }, { adapter: { ...adapter, getUserByEmail } })
    for (const address of ["\u212Aim@corp.test", "k\u00EDm@corp.test", "kim@corp.te\uFF53t"]) {
      const browser = host.newBrowser()
      await browser.signIn("email", { email: address })
      await browser.open(host.mailbox.lastLink())
      expect((await browser.session())?.user?.email).toBe(address)
    }
    expect(host.events.of("createUser")).toHaveLength(3)
  })
})

describe("the mail", () => {
  it("MAIL-11: has one link and no injected markup for any address, host and color", async () => {
    const bodies: { readonly html: string; readonly text: string; readonly subject: string }[] = []
    const fetchMail: typeof fetch = async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return Response.json({ id: "1" })
    }
    const markup = '<a href=https://evil.test>"v"</a>@corp.test'
    const host = openHost({
      adapter: memoryAdapter(),
      theme: { brandColor: 'red"><script>', buttonText: "x;}</style><script>", logo: '"><script>' },
      providers: [{ ...Resend({ apiKey: "key-1", normalizeIdentifier: (text) => text }), [customFetch]: fetchMail }],
    })
    await host.browser.signIn("resend", { email: markup, callbackUrl: '/"><a href=https://evil.test>' })
    const [{ html, text, subject } = { html: "", text: "", subject: "" }] = bodies
    expect(html.match(/<a /g)).toHaveLength(1)
    expect(html).toMatch(/<a href="https:\/\/app\.test\/auth\/callback\/resend\?/)
    expect(html).not.toMatch(/<script|<a href=https:\/\/evil|href="https:\/\/evil/)
    expect([text.match(/^https?:.*$/gm)?.length, subject]).toEqual([1, "Sign in to app.test"])
  })

  it("MAIL-11: is not sent for a host with markup", async () => {
    const host = openMail()
    for (const name of ["<a href=https:", "app.test<script>", 'app.test"']) {
      const headers = { "x-forwarded-host": name, host: name }
      const answer = await get(host.browser, "/auth/verify-request", headers)
      expect(answer.text).not.toMatch(/<script>|<a href=https:/)
    }
    await host.browser.fetch("/auth/signin/email", {
      method: "POST",
      body: new URLSearchParams({ csrfToken: await host.browser.csrfToken(), email }),
      headers: { "x-forwarded-host": "<a href=https://evil.test>" },
    })
    for (const { url } of host.mailbox.messages) expect(new URL(url).origin).toBe("https://app.test")
  })
})
