import { AccessDenied, OAuthAccountNotLinked } from "@latchkey/core/errors"
import { fixedClock, memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { callsOf, email, openElsewhere, openMail } from "../setup/mail-setup.js"
import { post } from "../setup/requests.js"
import { pathOfPage, sessionCookie } from "../setup/sign-ins.js"

async function sha256Hex(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")
}

describe("POST /signin/<email>", () => {
  it("sends a link and redirects to the verify-request page", async () => {
    using clock = fixedClock()
    const host = openMail()
    const page = await host.browser.signIn("email", { email, callbackUrl: "/in" })
    expect(page.url.href).toBe("https://app.test/auth/verify-request?provider=email&type=email")
    expect(page.text()).toMatch(/email/i)
    const [message] = host.mailbox.messages
    const url = new URL(message?.url ?? "")
    expect([url.origin + url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      "https://app.test/auth/callback/email",
      { callbackUrl: "https://app.test/in", token: message?.token, email },
    ])
    expect(message?.expires).toEqual(new Date(clock.now() + 24 * 60 * 60 * 1000))
  })

  it("calls the sender with identifier, token, url, provider, theme and request", async () => {
    const sent: Record<string, unknown>[] = []
    const host = openMail(
      { sendVerificationRequest: async (params) => void sent.push({ ...params }) },
      { theme: { brandColor: "#123456" } },
    )
    await host.browser.signIn("email", { email })
    expect(sent).toMatchObject([
      { identifier: email, provider: { id: "email", from: "no-reply@app.test" }, theme: { brandColor: "#123456" } },
    ])
    expect(Object.keys(sent[0] ?? {}).sort()).toEqual([
      "expires",
      "identifier",
      "provider",
      "request",
      "theme",
      "token",
      "url",
    ])
    expect(sent[0]?.["request"]).toBeInstanceOf(Request)
  })

  it("MAIL-12: stores the hash of 32 random bytes, never the token", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    const [message] = host.mailbox.messages
    expect(message?.token).toMatch(/^[0-9a-f]{64}$/)
    const stored = host.adapter.calls.find(({ method }) => method === "createVerificationToken")?.args[0]
    const secret = String(host.config.secret)
    expect(stored).toEqual({
      identifier: email,
      token: await sha256Hex(`${message?.token}${secret}`),
      expires: message?.expires,
    })
  })

  it("works with a generated token that is a number, beside another email provider", async () => {
    const generateVerificationToken = (() => 123_456) as never // as: plain JavaScript may return one
    const host = openHost({ providers: [testEmail({ generateVerificationToken }), testEmail({ id: "other" })] })
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(email)
  })

  it("uses the provider's secret, maxAge, generator and normalizer", async () => {
    using clock = fixedClock()
    const host = openMail({
      secret: "the-mail-secret",
      maxAge: 60,
      generateVerificationToken: () => "hand-made-token-of-the-host",
      normalizeIdentifier: (text) => `${text}.example`,
    })
    await host.browser.signIn("email", { email: "V@Corp" })
    expect(host.mailbox.messages).toMatchObject([
      { to: "V@Corp.example", token: "hand-made-token-of-the-host", expires: new Date(clock.now() + 60_000) },
    ])
    const stored = host.adapter.calls.find(({ method }) => method === "createVerificationToken")?.args[0]
    expect(Object(stored).token).toBe(await sha256Hex("hand-made-token-of-the-host" + "the-mail-secret"))
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it("normalizes case and blanks", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email: " V@CORP.test " })
    expect(host.mailbox.messages).toMatchObject([{ to: email }])
  })

  it("LIM-06: uses the last of two email fields", async () => {
    const host = openMail()
    const body = new URLSearchParams([
      ["csrfToken", await host.browser.csrfToken()],
      ["email", "a@evil.test"],
      ["email", email],
    ])
    await host.browser.fetch("/auth/signin/email", { method: "POST", body })
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([email])
  })
})

describe("the signIn callback of a request for a link", () => {
  it("gets verificationRequest for the request, but not when the link is followed", async () => {
    const asked: unknown[] = []
    const host = openMail(
      {},
      {
        callbacks: {
          signIn(params) {
            asked.push(params)
            return true
          },
        },
      },
    )
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    const user = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), email, emailVerified: null }
    const account = { providerAccountId: email, userId: expect.any(String), type: "email", provider: "email" }
    expect(asked).toEqual([
      { user, account, email: { verificationRequest: true } },
      { user, account },
    ])
  })

  it.each<[string, () => boolean]>([
    ["refuses", () => false],
    [
      "throws",
      () => {
        throw new Error("no")
      },
    ],
    [
      "throws an error of the service",
      () => {
        throw new OAuthAccountNotLinked("no")
      },
    ],
    [
      "throws AccessDenied",
      () => {
        throw new AccessDenied("no")
      },
    ],
  ])("MAIL-21: a callback that %s ends in AccessDenied without an email or a token", async (_, signIn) => {
    const host = openMail({}, { callbacks: { signIn } })
    const page = await host.browser.signIn("email", { email })
    expect([pathOfPage(page), host.logger.errorTypes()]).toEqual(["/auth/error?error=AccessDenied", ["AccessDenied"]])
    expect([host.mailbox.messages, callsOf(host)]).toEqual([[], ["getUserByEmail"]])
  })

  it("a callback that returns a URL redirects there", async () => {
    const host = openMail({}, { callbacks: { signIn: () => "/wait" } })
    expect((await host.browser.signIn("email", { email, callbackUrl: "/in" })).url.href).toBe("https://app.test/wait")
    expect(host.mailbox.messages).toEqual([])
    expect((await post(host.browser, "/auth/signout")).location).toBe("https://app.test/in")
  })
})

describe("the link in the mail", () => {
  it("creates a user with a verified address, without linking an account", async () => {
    using clock = fixedClock()
    const host = openMail()
    await host.browser.signIn("email", { email, callbackUrl: "/in" })
    expect((await host.browser.open(host.mailbox.lastLink())).url.href).toBe("https://app.test/in")
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(await host.adapter.getUserByEmail(email)).toMatchObject({ emailVerified: new Date(clock.now()) })
    expect(host.events.names()).toEqual(["createUser", "signIn", "session"])
    expect(host.events.of("signIn")).toMatchObject([
      { user: { email }, account: { type: "email", providerAccountId: email }, isNewUser: true },
    ])
    expect(callsOf(host)).not.toContain("linkAccount")
  })

  it("updates a known user, and keeps the date of the first verification", async () => {
    using clock = fixedClock()
    const host = openMail()
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    const first = new Date(clock.now())
    clock.advance({ days: 1 })
    host.events.clear()
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.adapter.getUserByEmail(email)).toMatchObject({ emailVerified: first })
    expect(host.events.names()).toEqual(["updateUser", "signIn"])
  })

  it("a link without the address works in the browser that asked for it, if the store finds its token", async () => {
    const store = memoryAdapter()
    const useVerificationToken: typeof store.useVerificationToken = ({ token }) =>
      store.useVerificationToken({ identifier: email, token })
    const host = openMail({}, { adapter: { ...store, useVerificationToken } })
    await host.browser.signIn("email", { email, callbackUrl: "/in" })
    const link = new URL(host.mailbox.lastLink())
    link.searchParams.delete("email")
    const other = host.newBrowser()
    expect((await other.open(link.href)).title).toBe("Sign in to app.test? – app.test")
    expect((await host.browser.open(link.href)).url.href).toBe("https://app.test/in")
    expect([(await host.browser.session())?.user?.email, await other.session()]).toEqual([email, null])
  })

  it("a link without a token ends in a Configuration error", async () => {
    const host = openMail()
    const page = await host.browser.open(`/auth/callback/email?email=${email}`)
    expect(pathOfPage(page)).toBe("/auth/error?error=Configuration")
    expect(host.logger.errors).toHaveLength(1)
  })

  it("starts a new session, and ends the session of another user in this browser", async () => {
    const host = openMail()
    await host.browser.signIn("oidc")
    const before = host.browser.cookies.get(sessionCookie) ?? ""
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(await host.adapter.getSessionAndUser(before)).toBeNull()
    const own = host.browser.cookies.get(sessionCookie)
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect(host.browser.cookies.get(sessionCookie)).not.toBe(own)
  })

  it("signs in with a jwt session too", async () => {
    const host = openMail({}, { session: { strategy: "jwt" } })
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(callsOf(host)).not.toContain("createSession")
  })

  it("KEY-04: a link that was sent before a secret rotation still works", async () => {
    const older = "old-secret-old-secret-old-secret-"
    const before = openMail({}, { secret: older })
    await before.browser.signIn("email", { email })
    const after = openHost({
      providers: [testEmail()],
      adapter: before.adapter,
      secret: ["new-secret-new-secret-new-secret-", older],
    })
    await openElsewhere(after.browser, before.mailbox.lastLink())
    expect(await after.browser.session()).not.toBeNull()
  })
})
