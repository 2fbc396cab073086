import Passkey from "@latchkey/core/providers/passkey"
import { fixedClock, passkeyClient, softwareAuthenticator, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it, vi } from "vitest"
import { callsOf, email, expectUnsaid, openElsewhere, openMail, openMailWith, recordOf } from "../setup/mail-setup.js"
import { strategies } from "../setup/oauth-stage.js"
import { type Answer, get, post, readAnswer } from "../setup/requests.js"
import { expectQuiet, pathOfPage, sessionCookie } from "../setup/sign-ins.js"

const used = "/auth/error?error=Verification"
const other = "a@evil.test"

/** The visible parts of a response, without the time and the reference of the error. */
function shown({ status, location, text, headers, cookies }: Answer) {
  const names = [...headers.keys()].filter((name) => name !== "set-cookie").sort()
  return {
    status,
    location,
    text: text.replace(/[0-9A-Z]{4}-[0-9A-Z]{2}/, ""),
    headers: names.map((name) => [name, headers.get(name)]),
    cookies: [...cookies].map(([name, { attributes }]) => [
      name.replace(/mail\.[\w-]{19}$/, "mail"),
      attributes.filter((one) => !one.startsWith("Expires")),
    ]),
  }
}

/** The mailed link with changes. */
function changed({ mailbox }: TestHost, changes: Readonly<Record<string, string | null>>): string {
  const link = new URL(mailbox.lastLink())
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) link.searchParams.delete(name)
    else link.searchParams.set(name, value)
  }
  return link.href
}

describe.each(strategies)("a mailed link, with %s sessions", (strategy) => {
  it("MAIL-12: has 32 random bytes that are not in the store, the log or a page", async () => {
    const host = openMailWith(strategy)
    const tokens = new Set<string>()
    for (let n = 0; n < 3; n++) {
      await host.browser.signIn("email", { email })
      const token = new URL(host.mailbox.lastLink()).searchParams.get("token") ?? ""
      expect(token).toMatch(/^[0-9a-f]{64}$/)
      expect(recordOf(host).token).toMatch(/^[0-9a-f]{64}$/)
      tokens.add(token)
    }
    await host.browser.open(host.mailbox.lastLink())
    expect(tokens.size).toBe(3)
    expect(tokens).not.toContain(recordOf(host).token)
    for (const token of tokens) expect(JSON.stringify(host.adapter.calls)).not.toContain(token)
    expectUnsaid(host, [...tokens])
  })

  it.each<[string, Readonly<Record<string, string | null>>]>([
    ["MAIL-13: with the address of another person", { email }],
    ["MAIL-13: without an address", { email: null }],
    ["MAIL-13: with the address in other letters", { email: other.toUpperCase() }],
    ["MAIL-17: with another token", { token: "f".repeat(64) }],
    ["MAIL-17: with an empty NUL behind the token", { token: `${"f".repeat(64)}\0` }],
  ])("%s does not sign in, and the original link works (documented)", async (_, changes) => {
    const host = openMailWith(strategy)
    await host.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
    const before = callsOf(host).length
    await host.browser.signIn("email", { email: other })
    const link = changed(host, changes)
    const victim = host.newBrowser()
    expect(pathOfPage(await openElsewhere(victim, link))).toBe(used)
    expect(host.logger.errors).toMatchObject([{ type: "Verification", cause: { provider: "email" } }])
    expect(
      callsOf(host)
        .slice(before)
        .filter((name) => /^(create|update|link|delete)/.test(name)),
    ).toEqual(["createVerificationToken"])
    await expectQuiet(host, victim)
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe(other)
  })

  it("MAIL-13: a link without its token ends in the contract's error before any adapter call", async () => {
    const host = openMailWith(strategy)
    for (const query of [`?email=${email}`, `?token=&email=${email}`, ""]) {
      const page = await host.browser.open(`/auth/callback/email${query}`)
      expect(pathOfPage(page)).toBe("/auth/error?error=Configuration")
    }
    expect(callsOf(host)).toEqual([])
    await expectQuiet(host, host.browser, host.adapter)
  })

  it("MAIL-14: works once", async () => {
    const host = openMailWith(strategy)
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    const again = host.newBrowser()
    expect(pathOfPage(await openElsewhere(again, host.mailbox.lastLink()))).toBe(used)
    expect([await again.session(), host.logger.errorTypes()]).toEqual([null, ["Verification"]])
    expect(await host.browser.session()).not.toBeNull()
    await post(host.browser, "/auth/signout")
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe(used)
    expect([await host.browser.session(), host.logger.errorTypes()]).toEqual([null, ["Verification", "Verification"]])
  })

  it("ADP-04: works once for fifty concurrent requests", async () => {
    const host = openMailWith(strategy)
    await host.browser.signIn("email", { email })
    const link = host.mailbox.lastLink()
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(host.browser, link)))
    expect(answers.filter(({ cookies }) => cookies.get(sessionCookie)?.value)).toHaveLength(1)
    expect(answers.filter(({ location }) => location?.endsWith(used))).toHaveLength(49)
  })

  it("ADP-05: creates one user when twenty links for a new address are followed at once", async () => {
    const host = openMailWith(strategy)
    const links: string[] = []
    const browsers = Array.from({ length: 20 }, () => host.newBrowser())
    for (const browser of browsers) {
      await browser.signIn("email", { email })
      links.push(host.mailbox.lastLink())
    }
    await Promise.all(links.map((link, n) => browsers[n]?.open(link)))
    const people = await Promise.all(browsers.map((browser) => browser.session()))
    expect(new Set(people.map((session) => session?.user?.email))).toEqual(new Set([email]))
    expect(host.events.of("createUser")).toHaveLength(1)
    expect(host.logger.errorTypes().filter((type) => type !== "AdapterError")).toEqual([])
  })

  it("MAIL-15: expires to the second, and its token is removed", async () => {
    using clock = fixedClock()
    const host = openMailWith(strategy, { maxAge: 600 })
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 600 })
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe(used)
    expect(await host.adapter.useVerificationToken(recordOf(host))).toBeNull()
    await expectQuiet(host, host.browser, host.adapter)
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 599 })
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it.each([
    ["HEAD", {}],
    ["GET", { "sec-purpose": "prefetch" }],
    ["GET", { "sec-purpose": "prefetch;prerender" }],
    ["GET", { purpose: "prefetch" }],
    ["GET", { "x-purpose": "preview" }],
    ["GET", { "x-moz": "prefetch" }],
  ])("MAIL-16: is not consumed by %s with %o", async (method, headers) => {
    const host = openMailWith(strategy)
    await host.browser.signIn("email", { email })
    const answer = await readAnswer(await host.handler(new Request(host.mailbox.lastLink(), { method, headers })))
    expect([answer.text, method === "HEAD" || answer.status === 503]).toEqual(["", true])
    expect(callsOf(host)).not.toContain("useVerificationToken")
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it("MAIL-16: is consumed by a scanner that follows it with opening: get; the visitor gets a clear page (documented)", async () => {
    const host = openMailWith(strategy, { opening: "get" })
    await host.browser.signIn("email", { email })
    await host.handler(new Request(host.mailbox.lastLink()))
    const page = await host.browser.open(host.mailbox.lastLink())
    expect([pathOfPage(page), page.text().includes("This link no longer works")]).toEqual([used, true])
    expect(await host.browser.session()).toBeNull()
  })

  it("MAIL-17: rejects values of other purposes as its token", async () => {
    const host = openMail(
      {},
      {
        session: { strategy },
        providers: ({ idp }) => [idp.provider(), testEmail(), Passkey()],
      },
    )
    const { browser } = host
    const options = await passkeyClient({ browser, device: softwareAuthenticator() }).creation({ email: other })
    const begun = await post(browser, "/auth/signin/oidc")
    const asked = new URL(begun.location ?? "").searchParams
    const sealed = browser.cookies.list().filter(({ name }) => /state|nonce|pkce|challenge/.test(name))
    await browser.signIn("oidc")
    await browser.signIn("email", { email })
    const values = [
      asked.get("state"),
      asked.get("nonce"),
      asked.get("code_challenge"),
      await browser.csrfToken(),
      browser.cookies.get("__Host-authjs.csrf-token"),
      browser.cookies.get(sessionCookie),
      options.challenge,
      ...sealed.map(({ value }) => value),
      recordOf(host).token,
    ]
    expect(values.length).toBeGreaterThan(10)
    host.logger.clear()
    for (const value of values) {
      expect(value).toMatch(/./)
      const stranger = host.newBrowser()
      const query = new URLSearchParams({ email, token: value ?? "" })
      expect(pathOfPage(await openElsewhere(stranger, `/auth/callback/email?${query}`))).toBe(used)
      expect(await stranger.session()).toBeNull()
    }
    expect(new Set(host.logger.errorTypes())).toEqual(new Set(["Verification"]))
  })

  it.each(["https://evil.test", "//evil.test", "/\\evil.test", "https://app.test@evil.test"])(
    "MAIL-19: leads to this site though its callbackUrl was changed to %s",
    async (callbackUrl) => {
      const host = openMailWith(strategy)
      await host.browser.signIn("email", { email })
      const answer = await get(host.browser, changed(host, { callbackUrl }))
      expect(new URL(answer.location ?? "").origin).toBe("https://app.test")
    },
  )

  it("ENUM-06: gives the same reply if it is unknown, used, expired or of another address", async () => {
    using clock = fixedClock()
    const host = openMailWith(strategy, { maxAge: 600 })
    const seen: unknown[] = []
    async function follow(link: string) {
      const before = callsOf(host).length
      const answer = await post(host.newBrowser(), link)
      seen.push({ ...shown(answer), asked: callsOf(host).slice(before) })
    }
    await host.browser.signIn("email", { email })
    await follow(changed(host, { token: "0".repeat(64) }))
    await follow(changed(host, { email: other }))
    await host.browser.open(host.mailbox.lastLink())
    await follow(host.mailbox.lastLink())
    await host.browser.signIn("email", { email })
    clock.advance({ seconds: 600 })
    await follow(host.mailbox.lastLink())
    expect(seen).toHaveLength(4)
    expect(seen[0]).toMatchObject({ location: `https://app.test${used}`, asked: Array(2).fill("useVerificationToken") })
    expect(new Set(seen.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(new Set(host.logger.errorTypes())).toEqual(new Set(["Verification"]))
  })

  it("ADP-14: is consumed without a session if the signIn callback refuses", async () => {
    const state = { isDisabled: false }
    const host = openMail({}, { session: { strategy }, callbacks: { signIn: () => !state.isDisabled } })
    await host.browser.signIn("email", { email })
    state.isDisabled = true
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe("/auth/error?error=AccessDenied")
    await expectQuiet(host, host.browser, host.adapter)
    state.isDisabled = false
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe(used)
  })

  it("ADP-14: starts no session for a user who was deleted during the signIn callback", async () => {
    const adapterOf = { current: null as null | { deleteUser(id: string): unknown } }
    const host = openMail(
      {},
      {
        session: { strategy },
        callbacks: {
          async signIn({ user, email: request }) {
            if (!request) await adapterOf.current?.deleteUser(user.id ?? "")
            return true
          },
        },
      },
    )
    adapterOf.current = host.adapter
    await host.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
    await host.browser.signIn("email", { email })
    expect(pathOfPage(await host.browser.open(host.mailbox.lastLink()))).toBe("/auth/error?error=Configuration")
    expect([await host.browser.session(), host.events.names()]).toEqual([null, []])
  })
})

describe("requesting a link", () => {
  it("ENUM-01: gets the same reply and does the same work for known and unknown addresses", async () => {
    const host = openMail()
    await host.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
    const asks: unknown[] = []
    for (const address of [email, "u@corp.test", email, "w@corp.test"]) {
      const before = callsOf(host).length
      const answer = await post(host.newBrowser(), "/auth/signin/email", { email: address })
      asks.push({ ...shown(answer), done: callsOf(host).slice(before), mails: host.mailbox.messages.length > 0 })
    }
    expect(asks[0]).toMatchObject({ done: ["getUserByEmail", "createVerificationToken"], mails: true })
    expect(new Set(asks.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([email, "u@corp.test", email, "w@corp.test"])
  })

  it("ENUM-01: gets the same reply for both if the mail cannot be sent", async () => {
    const host = openMail()
    await host.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
    const answers: string[] = []
    for (const address of [email, "u@corp.test"]) {
      host.mailbox.refuseNext()
      answers.push(JSON.stringify(shown(await post(host.newBrowser(), "/auth/signin/email", { email: address }))))
    }
    expect(answers[0]).toContain("error=EmailSignin")
    expect(answers[1]).toBe(answers[0])
  })

  it("MAIL-20: leaves no working link if the sender fails, and reveals neither address nor token", async () => {
    const host = openMail()
    host.mailbox.refuseNext()
    const page = await host.browser.signIn("email", { email })
    expect([pathOfPage(page), host.logger.errorTypes()]).toEqual([
      "/auth/signin?error=EmailSignin",
      ["EmailSignInError"],
    ])
    expect(host.logger.errors).toMatchObject([{ cause: { provider: "email" } }])
    expect(await host.adapter.useVerificationToken(recordOf(host))).toBeNull()
    expectUnsaid(host, [email, recordOf(host).token])
    await expectQuiet(host, host.browser, host.adapter)
    await host.browser.signIn("email", { email })
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })

  it("MAIL-20: times out a sender that hangs, and leaves no working link", async () => {
    vi.useFakeTimers()
    try {
      const sent: string[] = []
      const sendVerificationRequest = ({ url }: { readonly url: string }) => {
        sent.push(url)
        return new Promise<void>(() => undefined)
      }
      const host = openMail({ sendVerificationRequest })
      const asked = host.browser.signIn("email", { email })
      await vi.waitUntil(() => sent.length > 0)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(pathOfPage(await asked)).toBe("/auth/signin?error=EmailSignin")
      expect(pathOfPage(await openElsewhere(host.browser, sent[0] ?? ""))).toBe(used)
      expect(host.logger.errorTypes()).toEqual(["EmailSignInError", "Verification"])
    } finally {
      vi.useRealTimers()
    }
  })
})
