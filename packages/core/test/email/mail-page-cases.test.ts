import { mailScanner, scannerModes } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { callsOf, email, isSignedIn, openMail, openMailWith, typeCode } from "../setup/mail-setup.js"
import { strategies } from "../setup/oauth-stage.js"
import { get, post } from "../setup/requests.js"
import { expectQuiet } from "../setup/sign-ins.js"

describe.each(strategies)("a mailed link with a code, with %s sessions", (strategy) => {
  it.each(scannerModes.filter((mode) => mode !== "buttons"))(
    "CODE-01: is not consumed, and no user or session made, by a scanner that examines it (%s)",
    async (mode) => {
      const host = openMailWith(strategy, { code: true })
      await host.browser.signIn("email", { email })
      const before = callsOf(host).length
      const scanner = mailScanner(mode, host.handler)
      for (let n = 0; n < 5; n++) await scanner.scan(`Sign in: <a href="${host.mailbox.lastLink()}">here</a>`)
      const made = callsOf(host).slice(before)
      expect(made.filter((name) => /^(use|create|update|link|delete)/.test(name))).toEqual([])
      expect(host.logger.errorTypes()).toEqual([])
      await host.browser.open(host.mailbox.lastLink())
      expect((await host.browser.session())?.user?.email).toBe(email)
    },
  )

  it.each([{}, { "sec-purpose": "prefetch" }, { purpose: "prefetch" }, { "sec-purpose": "prefetch;prerender" }])(
    "CODE-01: is not consumed by a request without cookies and with the headers %j",
    async (headers) => {
      const host = openMailWith(strategy, { code: true })
      await host.browser.signIn("email", { email })
      for (const method of ["GET", "HEAD"]) {
        const answer = await host.handler(new Request(host.mailbox.lastLink(), { method, headers }))
        expect(answer.headers.get("cache-control")).toContain("no-store")
        expect(method === "GET" || [answer.status, await answer.text()]).toEqual(method === "GET" || [200, ""])
      }
      expect(callsOf(host)).not.toContain("useVerificationToken")
      expect(isSignedIn(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(true)
    },
  )

  it("CODE-02: is consumed with its code by a bot that presses the button (documented), and no one else is signed in", async () => {
    const host = openMailWith(strategy, { code: true })
    await host.browser.signIn("email", { email })
    await mailScanner("buttons", host.handler).scan(host.mailbox.lastLink())
    expect(callsOf(host).filter((name) => name === "createUser")).toHaveLength(1)
    const { location } = await typeCode(host.browser, host.mailbox.lastCode())
    expect(location).toBe("https://app.test/auth/signin?error=Verification")
    expect(await host.browser.session()).toBeNull()
  })

  it.each(scannerModes)("CODE-02: is not consumed by a scanner if it only shows the code (%s)", async (mode) => {
    const host = openMailWith(strategy, { code: true, opening: "code" })
    await host.browser.signIn("email", { email })
    await mailScanner(mode, host.handler).scan(host.mailbox.lastLink())
    expect(callsOf(host)).not.toContain("useVerificationToken")
    expect(isSignedIn(await typeCode(host.browser, host.mailbox.lastCode()))).toBe(true)
  })

  it("CODE-02: is not consumed by a form that is posted to it if it only shows the code", async () => {
    const host = openMailWith(strategy, { code: true, opening: "code" })
    await host.browser.signIn("email", { email })
    const link = new URL(host.mailbox.lastLink())
    const fields = Object.fromEntries(link.searchParams)
    const answers = [await post(host.newBrowser(), link.href), await post(host.newBrowser(), link.pathname, fields)]
    for (const answer of answers) {
      expect([answer.status, isSignedIn(answer)]).toEqual([200, false])
      expect(answer.text).toContain(host.mailbox.lastCode())
    }
    expect(callsOf(host)).not.toContain("useVerificationToken")
    await host.browser.open(link)
    expect(await host.browser.session()).not.toBeNull()
  })

  it("CODE-07: shows the masked address and the site, and signs in only with the button", async () => {
    const host = openMailWith(strategy, { code: true })
    await host.newBrowser().signIn("email", { email: "mallory@evil.test" })
    const victim = host.newBrowser()
    const page = await victim.open(host.mailbox.lastLink(), { from: "https://evil.test" })
    expect([page.status, page.text().includes("mallory@")]).toEqual([200, false])
    expect(page.text()).toContain("m\u2022\u2022\u2022@evil.test")
    expect(page.find("h1")?.text).toBe("Sign in to app.test?")
    await expectQuiet(host, victim)
    const forged = new URLSearchParams({ csrfToken: "f".repeat(64) })
    const sent = await victim.fetch(host.mailbox.lastLink(), {
      method: "POST",
      body: forged,
      from: "https://evil.test",
    })
    expect([sent.status, await victim.session()]).toEqual([302, null])
    await victim.submit("form")
    expect((await victim.session())?.user?.email).toBe("mallory@evil.test")
  })

  it.each(["<script>alert(1)</script>", "call 0900 at once!", "a@b", "x".repeat(400), "\u202emoc.live@a"])(
    "CODE-07: shows no address if its own was changed to %j",
    async (text) => {
      const host = openMailWith(strategy, { code: true })
      const query = new URLSearchParams({ token: "f".repeat(64), email: text })
      const page = await host.browser.open(`/auth/callback/email?${query}`)
      expect(page.status).toBe(200)
      expect(page.find(".card p")?.text).toBe("You opened a sign-in link. It signs you in here, in this browser.")
    },
  )

  it.each(["confirm", "code"] as const)(
    "CODE-09: leads to a page that cannot be framed, cached or indexed (%s)",
    async (opening) => {
      const host = openMailWith(strategy, { code: true, opening })
      await host.browser.signIn("email", { email })
      const { headers, text } = await get(host.newBrowser(), host.mailbox.lastLink())
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect([headers.get("x-frame-options"), headers.get("cache-control")]).toEqual(["DENY", "no-store"])
      expect(text).toContain('<meta name="robots" content="noindex"/>')
      const token = new URL(host.mailbox.lastLink()).searchParams.get("token") ?? ""
      expect(text).not.toContain(token)
    },
  )
})

describe("the page of a link, as JSON", () => {
  const accept = { accept: "application/json" }

  it("says whom the link signs in and how to go on", async () => {
    const host = openMail({ code: true })
    await host.browser.signIn("email", { email })
    const answer = await get(host.newBrowser(), host.mailbox.lastLink(), accept)
    expect(answer.json()).toEqual({
      opening: "confirm",
      address: "\u2022\u2022\u2022@corp.test",
      csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it("holds the code if the link only shows it", async () => {
    const host = openMail({ code: true, opening: "code" })
    await host.browser.signIn("email", { email })
    const answer = await get(host.newBrowser(), host.mailbox.lastLink(), accept)
    expect(answer.json()).toEqual({
      opening: "code",
      address: "\u2022\u2022\u2022@corp.test",
      code: host.mailbox.lastCode(),
    })
  })

  it("verify-request says whether a code can be typed in this browser", async () => {
    const host = openMail({ code: true })
    await host.browser.signIn("email", { email })
    const page = "/auth/verify-request?provider=email&type=email"
    const about = { provider: "email", type: "email" }
    expect((await get(host.browser, page, accept)).json()).toEqual({
      ...about,
      address: email,
      hasCode: true,
      flow: expect.any(String),
    })
    expect((await get(host.newBrowser(), page, accept)).json()).toEqual({ ...about, hasCode: false })
  })
})
