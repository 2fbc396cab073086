import { AccessDenied, OAuthAccountNotLinked } from "@latchkey/core/errors"
import type { EmailUserConfig } from "@latchkey/core/types"
import {
  fixedClock,
  type MemoryAdapter,
  memoryAdapter,
  type TestHost,
  type TestHostOptions,
  testEmail,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { get, post, readAnswer } from "./answers.js"
import { openHost } from "./hosts.js"
import { expectQuiet, landingOf, sessionCookie } from "./sign-ins.js"

function openMail(
  provider: EmailUserConfig = {},
  options: TestHostOptions = {},
): TestHost & { adapter: MemoryAdapter } {
  const adapter = memoryAdapter()
  return {
    ...openHost({ adapter, providers: ({ idp }) => [idp.provider(), testEmail(provider)], ...options }),
    adapter,
  }
}

const used = "/auth/error?error=Verification"
const email = "v@corp.test"

async function sha256Hex(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")
}

const calls = ({ adapter }: { adapter: MemoryAdapter }) => adapter.calls.map(({ method }) => method)

describe("POST /signin/<email>", () => {
  it("sends a link and leads to the page that says so", async () => {
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

  it("gives the sender identifier, token, url, provider, theme and a request", async () => {
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

  it("stores the hash of 32 random bytes, never the token (MAIL-12)", async () => {
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

  it("uses the provider's own secret, lifetime, generator and normaliser", async () => {
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

  it("normalises case and blanks", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email: " V@CORP.test " })
    expect(host.mailbox.messages).toMatchObject([{ to: email }])
  })

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
    ["MAIL-06", "\u212Aim@corp.test"],
    ["MAIL-06", "\u017Fue@corp.test"],
    ["MAIL-07", "v@corp.test\r\nBcc:a@evil.test"],
    ["MAIL-07", "v\0@corp.test"],
    ["MAIL-08", "V <v@corp.test>"],
    ["MAIL-08", "v(comment)@corp.test"],
    ["MAIL-09", "a@localhost"],
    ["MAIL-09", "a@[127.0.0.1]"],
    ["MAIL-09", "a@b..test"],
    ["MAIL-09", `${"a".repeat(65)}@corp.test`],
    ["MAIL-10", ""],
  ])("%s: refuses %j, and nothing is sent or stored", async (_, address) => {
    const host = openMail()
    const page = await host.browser.signIn("email", { email: address })
    expect(landingOf(page)).toBe("/auth/signin?error=EmailSignin")
    expect([host.mailbox.messages, calls(host), host.logger.errorTypes()]).toEqual([[], [], ["EmailSignInError"]])
    await host.browser.signIn("email", { email })
    expect(host.mailbox.messages).toHaveLength(1)
  })

  it.each([[["v@corp.test"]], [{}], [1]])("is 400 for the address %j (MAIL-10)", async (address) => {
    const host = openMail()
    const csrfToken = await host.browser.csrfToken()
    const response = await host.browser.fetch("/auth/signin/email", { json: { csrfToken, email: address } })
    expect([response.status, host.mailbox.messages]).toEqual([400, []])
  })

  it("takes the first of two addresses, as everywhere (LIM-06)", async () => {
    const host = openMail()
    const body = new URLSearchParams([
      ["csrfToken", await host.browser.csrfToken()],
      ["email", email],
      ["email", "a@evil.test"],
    ])
    await host.browser.fetch("/auth/signin/email", { method: "POST", body })
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([email])
  })

  it("answers the same for a known and an unknown address (ENUM-01)", async () => {
    const host = openMail()
    await host.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
    const known = await post(host.newBrowser(), "/auth/signin/email", { email })
    const unknown = await post(host.newBrowser(), "/auth/signin/email", { email: "nobody@corp.test" })
    const shown = ({ status, location, text, cookies }: typeof known) => ({
      status,
      location,
      text,
      cookies: [...cookies.keys()],
    })
    expect(shown(known)).toEqual(shown(unknown))
  })

  it("leaves no token behind when the sender fails, and the log has neither address nor token (MAIL-20)", async () => {
    const host = openMail()
    host.mailbox.refuseNext()
    const page = await host.browser.signIn("email", { email })
    expect([landingOf(page), host.logger.errorTypes()]).toEqual([
      "/auth/signin?error=EmailSignin",
      ["EmailSignInError"],
    ])
    expect(host.logger.texts().join()).not.toContain(email)
    const created = host.adapter.calls.find(({ method }) => method === "createVerificationToken")?.args[0]
    expect(await host.adapter.useVerificationToken(Object(created))).toBeNull()
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })
})

describe("the signIn callback of a request for a link", () => {
  it("is told that it is one, and not when the link is followed", async () => {
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
  ])("that %s ends as AccessDenied: no mail, no token (MAIL-21)", async (_, signIn) => {
    const host = openMail({}, { callbacks: { signIn } })
    const page = await host.browser.signIn("email", { email })
    expect([landingOf(page), host.logger.errorTypes()]).toEqual(["/auth/error?error=AccessDenied", ["AccessDenied"]])
    expect([host.mailbox.messages, calls(host)]).toEqual([[], ["getUserByEmail"]])
  })

  it("that answers text leads there", async () => {
    const host = openMail({}, { callbacks: { signIn: () => "/wait" } })
    expect((await host.browser.signIn("email", { email })).url.href).toBe("https://app.test/wait")
    expect(host.mailbox.messages).toEqual([])
  })
})

describe("the link in the mail", () => {
  it("creates a user whose address is proven, without linking an account", async () => {
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
    expect(calls(host)).not.toContain("linkAccount")
  })

  it("updates a known user, and keeps the date of the first proof", async () => {
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

  it("works once (MAIL-14)", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    const other = host.newBrowser()
    expect(landingOf(await other.open(host.mailbox.lastLink()))).toBe(used)
    expect(await other.session()).toBeNull()
  })

  it("works once also when it is followed many times at once (ADP-04)", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    const link = host.mailbox.lastLink()
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(host.newBrowser(), link)))
    expect(answers.filter(({ cookies }) => cookies.get(sessionCookie)?.value)).toHaveLength(1)
    expect(answers.filter(({ location }) => location?.endsWith(used))).toHaveLength(49)
  })

  it("expires, and its record goes (MAIL-15)", async () => {
    using clock = fixedClock()
    const host = openMail()
    await host.browser.signIn("email", { email })
    clock.advance({ days: 1, seconds: 1 })
    expect(landingOf(await host.browser.open(host.mailbox.lastLink()))).toBe(used)
    const created = host.adapter.calls.find(({ method }) => method === "createVerificationToken")?.args[0]
    expect(await host.adapter.useVerificationToken(Object(created))).toBeNull()
    await expectQuiet(host, host.browser)
  })

  it.each<[string, (link: URL) => void]>([
    ["with the address of somebody else (MAIL-13)", ({ searchParams }) => searchParams.set("email", "w@corp.test")],
    ["without an address (MAIL-13)", ({ searchParams }) => searchParams.delete("email")],
    ["with a changed token (MAIL-17)", ({ searchParams }) => searchParams.set("token", "f".repeat(64))],
    ["with the stored hash as token", ({ searchParams }) => searchParams.set("token", "hash")],
  ])("%s signs nobody in (ENUM-06)", async (name, change) => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    const link = new URL(host.mailbox.lastLink())
    change(link)
    const created = host.adapter.calls.find(({ method }) => method === "createVerificationToken")?.args[0]
    if (name.includes("hash")) link.searchParams.set("token", Object(created).token)
    expect(landingOf(await host.browser.open(link))).toBe(used)
    expect(host.logger.errorTypes()).toEqual(["Verification"])
    await expectQuiet(host, host.browser)
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it("without a token is a fault of the configuration", async () => {
    const host = openMail()
    const page = await host.browser.open(`/auth/callback/email?email=${email}`)
    expect(landingOf(page)).toBe("/auth/error?error=Configuration")
    expect(host.logger.errors).toHaveLength(1)
  })

  it("takes no value of another purpose for a token (MAIL-17)", async () => {
    const host = openMail()
    const begun = await post(host.browser, "/auth/signin/oidc")
    const state = new URL(begun.location ?? "").searchParams.get("state") ?? ""
    for (const value of [state, await host.browser.csrfToken()]) {
      const page = await host.browser.open(`/auth/callback/email?${new URLSearchParams({ email, token: value })}`)
      expect(landingOf(page)).toBe(used)
    }
  })

  it.each([
    ["HEAD", {}],
    ["GET", { "sec-purpose": "prefetch;prerender" }],
    ["GET", { purpose: "prefetch" }],
  ])("is not spent by %s with %o (MAIL-16)", async (method, headers) => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    const answer = await readAnswer(await host.handler(new Request(host.mailbox.lastLink(), { method, headers })))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it("leads home when its callbackUrl was changed (MAIL-19)", async () => {
    const host = openMail()
    await host.browser.signIn("email", { email })
    const link = new URL(host.mailbox.lastLink())
    link.searchParams.set("callbackUrl", "https://evil.test")
    expect((await host.browser.open(link)).url.href).toBe("https://app.test/")
    expect(await host.browser.session()).not.toBeNull()
  })

  it("makes a new session, and ends that of another user in this browser", async () => {
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

  it("signs in with a token session too", async () => {
    const host = openMail({}, { session: { strategy: "jwt" } })
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(calls(host)).not.toContain("createSession")
  })

  it("that was sent before a rotation of secrets still works after it (KEY-04)", async () => {
    const older = "old-secret-old-secret-old-secret-"
    const before = openMail({}, { secret: older })
    await before.browser.signIn("email", { email })
    const after = openHost({
      providers: [testEmail()],
      adapter: before.adapter,
      secret: ["new-secret-new-secret-new-secret-", older],
    })
    await after.browser.open(before.mailbox.lastLink())
    expect(await after.browser.session()).not.toBeNull()
  })
})
