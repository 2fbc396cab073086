import Credentials from "@latchkey/core/providers/credentials"
import Passkey from "@latchkey/core/providers/passkey"
import { trackSessions } from "@latchkey/core/sessions"
import {
  type Browser,
  fakeIdentityProvider,
  fixedClock,
  passkeyClient,
  softwareAuthenticator,
  type TestHost,
  type TestHostOptions,
  testEmail,
  testHost,
} from "@latchkey/testkit"
import { beforeEach, describe, expect, it } from "vitest"
import { testKeptTokens } from "./kept-tokens.suite.js"
import type { TheirStore } from "./their-store.js"

const email = "ada@example.com"
const sessionCookie = "__Secure-authjs.session-token"
const tokenOf = (browser: Browser): string => browser.cookies.get(sessionCookie) ?? ""

const whoIs = async (browser: Browser) => (await browser.session())?.user?.email ?? null

export interface SignInsOptions {
  /** Whether the adapter supports passkeys. Default: true. */
  readonly hasPasskeys?: boolean
  /** Whether the adapter keeps records of sessions, which no published one does. Default: false. */
  readonly hasRecords?: boolean
  /**
   * Whether the adapter returns the session token of the row, so that the service can compare it. Another one returns the token
   * that it was given, and a collation of the host decides. Default: true.
   */
  readonly returnsToken?: boolean
}

/** Tests every sign-in method with a published adapter. */
export function testSignIns(store: () => TheirStore, options: SignInsOptions = {}): void {
  const { hasPasskeys = true, hasRecords = false, returnsToken = true } = options
  beforeEach(async () => {
    await store().empty()
  })
  testKeptTokens(store)
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "elsewhere", name: "Augusta King", email: "augusta@example.com", email_verified: true },
  })

  describe.each(["jwt", "database"] as const)("sign-ins with %s sessions", (strategy) => {
    let host: TestHost
    beforeEach(() => {
      host = openHost()
    })

    function openHost(options: TestHostOptions = {}): TestHost {
      const { adapter } = store()
      return testHost({
        adapter,
        session: { strategy },
        rateLimit: false,
        network: { [other.origin]: other.handler },
        experimental: { enableWebAuthn: hasPasskeys },
        providers: ({ idp }) => [
          idp.provider(),
          other.provider({ id: "other" }),
          testEmail(),
          Credentials({
            credentials: { email: {}, password: { type: "password" } },
            authorize: async ({ email: given, password }) =>
              password === "analytical engine" ? ((await adapter.getUserByEmail?.(String(given))) ?? null) : null,
          }),
          ...(hasPasskeys ? [Passkey()] : []),
        ],
        ...options,
      })
    }

    it("rejects an unlinked account with the email of an existing user", async () => {
      await host.browser.signIn("oidc")
      other.signInAs({ sub: "mallory", email })
      const stranger = host.newBrowser()
      const page = await stranger.signIn("other")
      other.signInAs({ sub: "elsewhere", name: "Augusta King", email: "augusta@example.com", email_verified: true })
      expect([page.url.search, await whoIs(stranger)]).toEqual(["?error=OAuthAccountNotLinked", null])
    })

    it("signs in with OpenID Connect, and finds the same user the next time", async () => {
      await host.browser.signIn("oidc")
      const again = host.newBrowser()
      await again.signIn("oidc")
      expect([await whoIs(host.browser), await whoIs(again)]).toEqual([email, email])
      expect(host.events.of("createUser")).toHaveLength(1)
      const owner = await store().adapter.getUserByAccount?.({ provider: "oidc", providerAccountId: "ada-1815" })
      expect(owner).toMatchObject({ name: "Ada Lovelace", email })
      expect(host.logger.errors).toEqual([])
    })

    it("signs in with an emailed link, once", async () => {
      await host.browser.signIn("email", { email, callbackUrl: "/in" })
      const link = host.mailbox.lastLink()
      expect((await host.browser.open(link)).url.pathname).toBe("/in")
      const thief = host.newBrowser()
      await thief.open(link)
      expect((await thief.submit("form")).url.search).toBe("?error=Verification")
      expect([await whoIs(host.browser), await whoIs(thief)]).toEqual([email, null])
      expect((await store().adapter.getUserByEmail?.(email))?.emailVerified).toBeInstanceOf(Date)
    })

    it("ADP-13: gives nobody a session or a user whose token or address only looks like the given one", async () => {
      await host.browser.signIn("oidc")
      const token = tokenOf(host.browser)
      const tokens = returnsToken ? [token.toUpperCase(), token.toLowerCase(), `${token}%20`] : []
      for (const lookAlike of tokens.filter((one) => one !== token)) {
        const stranger = host.newBrowser()
        stranger.cookies.set(sessionCookie, lookAlike)
        expect(await whoIs(stranger)).toBeNull()
      }
      for (const lookAlike of ["\u00e1da@example.com", "\uff41da@example.com"]) {
        const stranger = host.newBrowser()
        await stranger.signIn("email", { email: lookAlike, callbackUrl: "/in" })
        if (host.mailbox.messages.length > 0) await stranger.open(host.mailbox.lastLink())
        expect(await whoIs(stranger)).not.toBe(email)
      }
      expect(await whoIs(host.browser)).toBe(email)
    })

    it("signs in with the six digits of a mail, which use up its link", async () => {
      const own = openHost({ providers: [testEmail({ code: true })] })
      await own.browser.signIn("email", { email, callbackUrl: "/in" })
      const code = own.mailbox.lastCode()
      await own.browser.submit("form", { code: code === "000000" ? "000001" : "000000" })
      expect((await own.browser.submit("form", { code })).url.pathname).toBe("/in")
      const phone = own.newBrowser()
      await phone.open(own.mailbox.lastLink())
      expect((await phone.submit("form")).url.search).toBe("?error=Verification")
      expect([await whoIs(own.browser), await whoIs(phone)]).toEqual([email, null])
      expect(own.events.of("createUser")).toHaveLength(1)
    })

    it("CODE-04: ends the link of a mail with the fifth wrong code", async () => {
      const own = openHost({ providers: [testEmail({ code: true })] })
      await own.browser.signIn("email", { email })
      const wrong = own.mailbox.lastCode() === "000000" ? "000001" : "000000"
      for (let n = 1; n <= 5; n++) await own.browser.submit("form", { code: wrong })
      const page = await own.browser.open(own.mailbox.lastLink())
      expect([page.url.search, await whoIs(own.browser)]).toEqual(["?error=Verification", null])
    })

    if (hasRecords) {
      it("SESS-01: refuses a tracked session that was ended", async () => {
        const own = openHost({ session: { strategy, track: trackSessions({ checkEvery: 0 }) } })
        await own.browser.signIn("oidc")
        expect(await whoIs(own.browser)).toBe(email)
        const { adapter } = store()
        const user = await adapter.getUserByEmail?.(email)
        expect(await adapter.endSessions?.({ userId: user?.id ?? "" })).toBe(1)
        expect(await whoIs(own.browser)).toBeNull()
      })
    } else {
      it("refuses session.track at the start, and names the methods that the adapter lacks", async () => {
        const own = openHost({ session: { strategy, track: trackSessions() } })
        expect((await own.browser.fetch("/auth/session")).status).toBe(500)
        expect(own.logger.errors.map(({ message }) => message)).toEqual([
          expect.stringContaining(
            "session.track: the adapter lacks createSessionDetail, seeSession, listSessionsByUserId, endSessions. Use @latchkey/kysely-adapter",
          ),
        ])
      })
    }

    it("signs in with a password, and rejects a wrong one", async () => {
      await host.newBrowser().signIn("oidc")
      const page = await host.browser.signIn("credentials", { email, password: "difference engine" })
      expect([page.url.searchParams.get("error"), await whoIs(host.browser)]).toEqual(["CredentialsSignin", null])
      await host.browser.signIn("credentials", { email, password: "analytical engine" })
      expect(await whoIs(host.browser)).toBe(email)
    })

    it("links a second account to the current user, and finds the user by both", async () => {
      await host.browser.signIn("oidc")
      await host.browser.signIn("other")
      const elsewhere = host.newBrowser()
      await elsewhere.signIn("other")
      expect([await whoIs(host.browser), await whoIs(elsewhere)]).toEqual([email, email])
      expect(host.events.of("linkAccount")).toHaveLength(2)
    })

    it("ends the current session only", async () => {
      const elsewhere = host.newBrowser()
      for (const browser of [host.browser, elsewhere]) await browser.signIn("oidc")
      const token = tokenOf(host.browser)
      await host.browser.signOut()
      expect([await whoIs(host.browser), await whoIs(elsewhere)]).toEqual([null, email])
      if (strategy === "database") expect((await store().adapter.getSessionAndUser?.(token)) ?? null).toBeNull()
    })

    it("calls the session callback with the user's id", async () => {
      const told: unknown[] = []
      const own = openHost({
        callbacks: {
          session({ session, user, token }) {
            told.push(user?.id ?? token?.sub)
            return session
          },
        },
      })
      await own.browser.signIn("oidc")
      await own.browser.session()
      const { id } = (await store().adapter.getUserByEmail?.(email)) ?? {}
      expect(told.map(String)).toContain(String(id))
    })

    if (hasPasskeys) testPasskeys(() => host)
  })

  describe("stored sessions", () => {
    const openStored = () =>
      testHost({ adapter: store().adapter, session: { strategy: "database", maxAge: 3600, updateAge: 600 } })

    it("expire, and their row is deleted", async () => {
      using clock = fixedClock()
      const { browser, handler } = openStored()
      await browser.signIn("oidc")
      const token = tokenOf(browser)
      clock.advance({ seconds: 3600 })
      // A browser would have dropped the cookie.
      const headers = { cookie: `${sessionCookie}=${token}` }
      const answer = await handler(new Request("https://app.test/auth/session", { headers }))
      expect(await answer.text()).toBe("null")
      expect((await store().adapter.getSessionAndUser?.(token)) ?? null).toBeNull()
    })

    it("extend their expiry once per period", async () => {
      using clock = fixedClock()
      const { browser } = openStored()
      await browser.signIn("oidc")
      const end = async () =>
        (await store().adapter.getSessionAndUser?.(tokenOf(browser)))?.session.expires.getTime() ?? 0
      const first = await end()
      clock.advance({ seconds: 599 })
      await whoIs(browser)
      expect(await end()).toBe(first)
      clock.advance({ seconds: 1 })
      await whoIs(browser)
      expect(await end()).toBe(first + 600_000)
    })
  })
}

function testPasskeys(host: () => TestHost): void {
  it("signs in with a passkey, and rejects an unknown one", async () => {
    const { browser, newBrowser } = host()
    const device = softwareAuthenticator({ firstCounter: 1 })
    await passkeyClient({ browser, device }).register(email)
    const elsewhere = newBrowser()
    await passkeyClient({ browser: elsewhere, device }).signIn()
    expect([await whoIs(browser), await whoIs(elsewhere)]).toEqual([email, email])
    const unknown = newBrowser()
    const refused = passkeyClient({ browser: unknown, device: softwareAuthenticator() })
    await expect(refused.signIn()).rejects.toThrow()
    expect(await whoIs(unknown)).toBeNull()
  })
}
