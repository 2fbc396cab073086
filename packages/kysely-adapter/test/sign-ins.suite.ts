import type { Adapter, Awaitable } from "@latchkey/core/adapters"
import type { SqlAdapter } from "@latchkey/kysely-adapter"
import {
  type Browser,
  fakeIdentityProvider,
  fixedClock,
  type TestHost,
  type TestHostOptions,
  testEmail,
  testHost,
} from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

/** A database for one test. */
export interface OpenStore {
  readonly adapter: SqlAdapter
  close(): Awaitable<void>
}

const sessionCookie = "__Secure-authjs.session-token"
const email = "v@corp.test"
const inside = "https://app.test/in"
const used = "https://app.test/auth/error?error=Verification"

const tokenOf = (browser: Browser): string => browser.cookies.get(sessionCookie) ?? ""

/** Concurrent sign-ins, and attacks, on a real database. */
export function testSignIns(name: string, open: () => Awaitable<OpenStore>): void {
  describe.each(["jwt", "database"] as const)(`${name} with %s sessions`, (strategy) => {
    let store: OpenStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    /** `oidc` signs in as any person without verifying emails; `other` verifies emails and signs in as V. */
    function openHost(options: TestHostOptions = {}): TestHost {
      const other = fakeIdentityProvider({
        issuer: "https://idp2.test",
        person: { sub: "v", name: "V", email, email_verified: true },
      })
      return testHost({
        adapter: store.adapter,
        session: { strategy },
        rateLimit: false,
        network: { [other.origin]: other.handler },
        providers: ({ idp }) => [
          idp.provider(),
          other.provider({ id: "other", allowDangerousEmailAccountLinking: true }),
          testEmail(),
        ],
        ...options,
      })
    }

    /** Presses the button of the link's page, in a browser that did not ask for the link. */
    async function openLink(browser: Browser, link: string): Promise<string | null> {
      const body = new URLSearchParams({ csrfToken: await browser.csrfToken() })
      return (await browser.fetch(link, { method: "POST", body })).headers.get("location")
    }

    async function mailedTo(host: TestHost, address = email): Promise<string> {
      await host.newBrowser().signIn("email", { email: address, callbackUrl: "/in" })
      return host.mailbox.lastLink()
    }

    it("MAIL-18: does not sign the mailbox's owner in to an account that a stranger created", async () => {
      const host = openHost()
      host.idp.signInAs({ sub: "mallory", name: "Mallory", email })
      await host.browser.signIn("oidc")
      const before = await store.adapter.getUserByEmail(email)
      const link = await mailedTo(host)
      const victim = host.newBrowser()
      expect(await openLink(victim, link)).toBe("https://app.test/auth/signin?error=AccountNotLinked")
      expect([await victim.session(), await store.adapter.getUserByEmail(email)]).toEqual([null, before])
      expect(await openLink(host.browser, await mailedTo(host))).toBe(inside)
      expect(await openLink(victim, await mailedTo(host))).toBe(inside)
      expect((await victim.session())?.user?.name).toBe("Mallory")
    })

    it("MAIL-18: signs the mailbox's owner in to an account with a verified email", async () => {
      const host = openHost()
      await host.newBrowser().signIn("other")
      expect(await openLink(host.browser, await mailedTo(host))).toBe(inside)
      expect((await host.browser.session())?.user?.name).toBe("V")
    })

    it("LINK-04: links an account to a user with a verified email, and to no other", async () => {
      const host = openHost()
      host.idp.signInAs({ sub: "mallory", email })
      await host.browser.signIn("oidc")
      const victim = host.newBrowser()
      const page = await victim.signIn("other")
      expect([page.url.search, await victim.session()]).toEqual(["?error=OAuthAccountNotLinked", null])
      expect(await store.adapter.getAccount("v", "other")).toBeNull()
      const mallory = await store.adapter.getUserByEmail(email)
      await store.adapter.markEmailVerified?.({ userId: mallory?.id ?? "", email, provider: "invitation" })
      await victim.signIn("other")
      expect((await store.adapter.getAccount("v", "other"))?.userId).toBe(mallory?.id)
    })

    it("ADP-04: signs in one of fifty concurrent visits to one link", async () => {
      const host = openHost()
      const link = await mailedTo(host)
      const found = await Promise.all(Array.from({ length: 50 }, () => openLink(host.newBrowser(), link)))
      expect(found.filter((location) => location === inside)).toHaveLength(1)
      expect(found.filter((location) => location === used)).toHaveLength(49)
    })

    it("ADP-05: creates one user from twenty concurrent first sign-ins by email", async () => {
      const host = openHost()
      const links: string[] = []
      for (let n = 0; n < 20; n++) links.push(await mailedTo(host))
      const browsers = links.map(() => host.newBrowser())
      await Promise.all(links.map((link, n) => openLink(browsers[n] ?? host.browser, link)))
      for (const browser of browsers) expect((await browser.session())?.user?.email).toBe(email)
      expect(host.events.of("createUser")).toHaveLength(1)
    })

    it("ADP-05: creates one user from twenty concurrent first sign-ins with one account", async () => {
      const host = openHost()
      const browsers = Array.from({ length: 20 }, () => host.newBrowser())
      await Promise.all(browsers.map((browser) => browser.signIn("oidc")))
      const owner = await store.adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })
      expect((await store.adapter.getUserByEmail("ada@example.com"))?.id).toBe(owner?.id)
      expect(host.events.of("linkAccount")).toHaveLength(1)
      expect(await store.adapter.listAccountsByUserId(owner?.id ?? "")).toHaveLength(1)
    })

    it("ADP-06: links an account once from twenty concurrent tabs of two users", async () => {
      const host = openHost()
      const tabs: { readonly who: string; readonly browser: Browser }[] = []
      for (const who of ["ada", "ben"]) {
        host.idp.signInAs({ sub: who, name: who, email: `${who}@corp.test` })
        for (let n = 0; n < 10; n++) {
          const browser = host.newBrowser()
          await browser.signIn("oidc")
          tabs.push({ who, browser })
        }
      }
      const pages = await Promise.all(tabs.map(({ browser }) => browser.signIn("other", { callbackUrl: "/in" })))
      const owner = await store.adapter.getUserByAccount({ provider: "other", providerAccountId: "v" })
      for (const [n, { who }] of tabs.entries()) {
        expect(pages[n]?.url.search).toBe(owner?.name === who ? "" : "?error=OAuthAccountNotLinked")
      }
    })

    it.each([
      ["in steps", false],
      ["in a transaction, if there are any", true],
    ])("ADP-09: removes a new user whose account could not be linked %s, and allows a retry", async (_, isAtOnce) => {
      const state = { isDown: true }
      const fullDisk = (adapter: Adapter): Adapter => ({
        ...adapter,
        async linkAccount(account): Promise<void> {
          if (state.isDown) throw new Error("disk full")
          await adapter.linkAccount?.(account)
        },
      })
      const { transaction, ...inSteps }: Adapter = store.adapter
      const atOnce = transaction && {
        transaction: <T>(work: (adapter: Adapter) => Promise<T>) => transaction((within) => work(fullDisk(within))),
      }
      const host = openHost({ adapter: { ...fullDisk(inSteps), ...(isAtOnce && atOnce) } })
      expect((await host.browser.signIn("oidc")).url.search).toBe("?error=Configuration")
      expect([await host.browser.session(), await store.adapter.getUserByEmail("ada@example.com")]).toEqual([
        null,
        null,
      ])
      expect(host.logger.errorTypes()).toEqual(["AdapterError"])
      state.isDown = false
      await host.browser.signIn("oidc")
      expect(await host.browser.session()).not.toBeNull()
    })

    it("ADP-01, ADP-02: identifies users by their exact subject, even if it looks like SQL", async () => {
      const host = openHost()
      const subjects = [
        `'; DROP TABLE "User";--`,
        `" OR ""="`,
        "\\",
        "$1",
        "%",
        "_",
        '{"$gt":""}',
        "a.b$c",
        "__proto__",
      ]
      for (const [n, sub] of subjects.entries()) {
        host.idp.signInAs({ sub, name: sub, email: `${n}@corp.test` })
        for (const browser of [host.newBrowser(), host.newBrowser()]) {
          await browser.signIn("oidc")
          expect((await browser.session())?.user).toMatchObject({ name: sub, email: `${n}@corp.test` })
        }
      }
      expect(host.events.of("createUser")).toHaveLength(subjects.length)
    })

    it("ADP-03: ignores extra keys from a provider", async () => {
      const host = openHost()
      const extra = { userId: "u-v", user_id: "u-v", 'id", "x': "1", emailVerified: "2029-01-01" }
      host.idp.faults.turnOn({
        tokens: (tokens) => ({ ...tokens, ...extra }),
        idTokenClaims: (claims) => ({ ...claims, ...extra }),
      })
      await host.browser.signIn("oidc")
      const user = await store.adapter.getUserByEmail("ada@example.com")
      expect(user).toMatchObject({ name: "Ada Lovelace", emailVerified: null })
      expect(await store.adapter.getAccount("ada-1815", "oidc")).toMatchObject({ userId: user?.id, type: "oidc" })
    })

    it("ADP-14: rejects a sign-in whose user is deleted during the signIn callback", async () => {
      const user = await store.adapter.createUser({ id: "u-v", email, emailVerified: new Date() })
      const host = openHost({
        callbacks: {
          async signIn({ email: request }) {
            if (!request) await store.adapter.deleteUser(user.id)
            return true
          },
        },
      })
      const location = await openLink(host.browser, await mailedTo(host))
      expect(location).toBe("https://app.test/auth/error?error=Configuration")
      expect(await host.browser.session()).toBeNull()
    })
  })

  describe(`${name}: stored sessions`, () => {
    let store: OpenStore
    let host: TestHost
    beforeEach(async () => {
      store = await open()
      host = openStored()
      await host.browser.signIn("oidc")
    })
    afterEach(() => store.close())

    const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "elsewhere" } })
    const openStored = (session: TestHostOptions["session"] = {}) =>
      testHost({
        adapter: store.adapter,
        session: { strategy: "database", ...session },
        network: { [other.origin]: other.handler },
        providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
      })

    it("DBS-02: reject a token that exists already, and leave it to its owner", async () => {
      const same = openStored({ generateSessionToken: () => "the-same-token-again" })
      await same.browser.signIn("oidc")
      same.idp.signInAs({ sub: "eve", name: "Eve", email: "eve@evil.test" })
      const eve = same.newBrowser()
      expect((await eve.signIn("oidc")).url.search).toBe("?error=Configuration")
      expect((await store.adapter.getSessionAndUser("the-same-token-again"))?.user.name).toBe("Ada Lovelace")
    })

    it("DBS-03: are removed by the first visits after they expire, even concurrent ones", async () => {
      using clock = fixedClock()
      const short = openStored({ maxAge: 60 })
      await short.browser.signIn("oidc")
      const token = tokenOf(short.browser)
      clock.advance({ seconds: 60 })
      const headers = { cookie: `${sessionCookie}=${token}` }
      const visits = Array.from({ length: 10 }, () =>
        short.handler(new Request("https://app.test/auth/session", { headers })),
      )
      for (const answer of await Promise.all(visits)) expect(await answer.text()).toBe("null")
      expect([await store.adapter.getSessionAndUser(token), short.logger.errors]).toEqual([null, []])
    })

    it("DBS-04: extend their expiry once per updateAge, and not before", async () => {
      using clock = fixedClock()
      const late = openStored({ maxAge: 3600, updateAge: 600 })
      await late.browser.signIn("oidc")
      const end = async () =>
        (await store.adapter.getSessionAndUser(tokenOf(late.browser)))?.session.expires.getTime() ?? 0
      const first = await end()
      clock.advance({ seconds: 599 })
      await late.browser.session()
      expect(await end()).toBe(first)
      clock.advance({ seconds: 1 })
      await late.browser.session()
      expect(await end()).toBe(first + 600_000)
    })

    it.each(["' OR 1=1--", "x%00", '{"$ne":null}', "%25", "_", "a".repeat(1024)])(
      "DBS-06: are not found by the cookie %j",
      async (text) => {
        const headers = { cookie: `${sessionCookie}=${text}` }
        const answer = await host.handler(new Request("https://app.test/auth/session", { headers }))
        expect([await answer.text(), host.logger.errors]).toEqual(["null", []])
        expect(await host.browser.session()).not.toBeNull()
      },
    )

    it("DBS-07: end with their user", async () => {
      const token = tokenOf(host.browser)
      const user = await store.adapter.getUserByEmail("ada@example.com")
      await store.adapter.deleteUser(user?.id ?? "")
      expect([await host.browser.session(), await store.adapter.getSessionAndUser(token)]).toEqual([null, null])
    })

    it("DBS-09, ADP-07: stay ended when twenty visits are concurrent with the sign-out", async () => {
      const always = openStored({ updateAge: 0 })
      await always.browser.signIn("oidc")
      const token = tokenOf(always.browser)
      const visits = Array.from({ length: 20 }, () => always.browser.newTab().session())
      await Promise.all([always.browser.signOut(), ...visits])
      expect(await store.adapter.getSessionAndUser(token)).toBeNull()
    })

    it("DBS-10: are found by the cookie's value, which is the row's token (documented)", async () => {
      const token = tokenOf(host.browser)
      expect((await store.adapter.getSessionAndUser(token))?.session.sessionToken).toBe(token)
    })

    it("DBS-11: get a new token when an account is linked, and the old one stops working", async () => {
      const before = tokenOf(host.browser)
      const row = await store.adapter.getSessionAndUser(before)
      await host.browser.signIn("other")
      const after = await store.adapter.getSessionAndUser(tokenOf(host.browser))
      expect([tokenOf(host.browser) === before, await store.adapter.getSessionAndUser(before)]).toEqual([false, null])
      expect(after?.session).toEqual({ ...row?.session, sessionToken: tokenOf(host.browser) })
      expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    })
  })
}
