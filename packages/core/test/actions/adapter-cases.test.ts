import type { Adapter } from "@latchkey/core/adapters"
import Passkey from "@latchkey/core/providers/passkey"
import { fakeIdentityProvider, type MemoryAdapter, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { strategies } from "../setup/oauth-stage.js"
import { ask, get, post } from "../setup/requests.js"
import { passwordProvider, pathOfPage, sessionCookie } from "../setup/sign-ins.js"

const hostile = [
  `'; DROP TABLE users;--`,
  `" OR ""="`,
  "\\",
  "$1",
  "%",
  "_",
  '{"$gt":""}',
  "a.b$c",
  "__proto__",
] as const

/** Parameters of adapter methods: IDs, addresses, tokens. */
function keysGivenTo({ calls }: MemoryAdapter): readonly unknown[] {
  return calls
    .filter(({ method }) => /^(get|list|use|delete|spend)/.test(method))
    .flatMap(({ args }) => args)
    .flatMap((arg) => (typeof arg === "object" && arg !== null ? Object.values(arg) : [arg]))
}

describe.each(strategies)("what a visitor or a provider sends, with %s sessions", (strategy) => {
  it("ADP-01, ADP-02: finds an account by its exact subject, in any format", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { strategy } })
    for (const [n, sub] of hostile.entries()) {
      host.idp.signInAs({ sub, name: sub, email: `${n}@corp.test` })
      await host.newBrowser().signIn("oidc")
      const browser = host.newBrowser()
      await browser.signIn("oidc")
      expect((await browser.session())?.user).toMatchObject({ name: sub, email: `${n}@corp.test` })
      expect((await adapter.getAccount(sub, "oidc"))?.providerAccountId).toBe(sub)
    }
    expect(host.events.of("createUser")).toHaveLength(hostile.length)
  })

  it("ADP-02: passes only text to the store, for any JSON value", async () => {
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      session: { strategy },
      providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider(), Passkey()],
    })
    await adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: new Date() })
    const csrfToken = await host.browser.csrfToken()
    for (const odd of [{ $gt: "" }, { $ne: null }, ["v@corp.test"], { "a.b": 1 }, true, 7]) {
      for (const path of ["signin/email", "callback/cred", "callback/passkey", "session"]) {
        const fields = { email: odd, u: odd, p: odd, data: odd, action: odd, token: odd }
        await host.browser.fetch(`/auth/${path}`, { json: { csrfToken, ...fields } })
        await host.browser.fetch(`/auth/${path}`, { json: { csrfToken: odd, email: "v@corp.test" } })
      }
    }
    for (const query of [
      "email[$gt]=",
      "email=v@corp.test&token[$ne]=x",
      "token[]=a&token[]=b",
      'email={"$gt":""}&token=x',
    ]) {
      await get(host.browser, `/auth/callback/email?${query}`)
      await get(host.browser, `/auth/webauthn-options/passkey?action=authenticate&${query}`)
    }
    for (const key of keysGivenTo(adapter))
      expect(["string", "undefined"]).toContain(key instanceof Date ? "string" : typeof key)
    expect(await host.browser.session()).toBeNull()
    expect(host.mailbox.messages.map(({ to }) => to)).toEqual([])
  })

  it("ADP-03: becomes no field of an account or a user by its name", async () => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "u-v", email: "v@corp.test", emailVerified: new Date() })
    const host = openHost({ adapter, session: { strategy } })
    const extra = { userId: "u-v", 'id", "x': "1", emailVerified: "2029-01-01", isAdmin: true, constructor: "c" }
    host.idp.faults.turnOn({
      tokens: (tokens) => ({ ...tokens, ...extra, provider: "other", providerAccountId: "u-v", type: "email" }),
      idTokenClaims: (claims) => ({ ...claims, ...extra, id: "u-v" }),
    })
    await host.browser.signIn("oidc")
    const [created] = adapter.calls.filter(({ method }) => method === "createUser").slice(1)
    expect(Object.keys(Object(created?.args[0])).sort()).toEqual(["email", "emailVerified", "id", "image", "name"])
    expect(created?.args[0]).toMatchObject({ email: "ada@example.com", emailVerified: null })
    const linked = adapter.calls.find(({ method }) => method === "linkAccount")?.args[0]
    expect(linked).toMatchObject({ provider: "oidc", providerAccountId: "ada-1815", type: "oidc" })
    expect(Object(linked).userId).toBe(Object(created?.args[0]).id)
    for (const name of Object.keys(extra).filter((key) => key !== "userId"))
      expect(Object.hasOwn(Object(linked), name)).toBe(false)
    expect((await host.browser.session())?.user?.email).toBe("ada@example.com")
  })
})

/** Two signed-in users, and a second provider where both sign in with the same account. */
async function openRivals(strategy: (typeof strategies)[number]) {
  const adapter = memoryAdapter()
  const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "shared", email: "x@corp.test" } })
  const host = openHost({
    adapter,
    session: { strategy },
    rateLimit: false,
    network: { [other.origin]: other.handler },
    providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
  })
  const tabs = []
  for (const name of ["ada", "ben"]) {
    host.idp.signInAs({ sub: name, name, email: `${name}@corp.test` })
    for (let n = 0; n < 10; n++) {
      const browser = host.newBrowser()
      await browser.signIn("oidc")
      tabs.push({ name, browser })
    }
  }
  return { host, adapter, tabs }
}

describe.each(strategies)("many at once, with %s sessions", (strategy) => {
  it("ADP-06: link an account once; the other person is refused and stays signed in", async () => {
    const { host, adapter, tabs } = await openRivals(strategy)
    const pages = await Promise.all(tabs.map(({ browser }) => browser.signIn("other", { callbackUrl: "/in" })))
    const owner = await adapter.getUserByAccount({ provider: "other", providerAccountId: "shared" })
    for (const [n, { name, browser }] of tabs.entries()) {
      const expected = owner?.name === name ? "/in?" : "/auth/signin?error=OAuthAccountNotLinked"
      expect(pathOfPage(pages[n] ?? { url: new URL("missing:") })).toBe(expected)
      expect((await browser.session())?.user?.name).toBe(name)
    }
    expect(host.events.of("linkAccount").filter(({ account }) => account.provider === "other")).toHaveLength(1)
  })
})

describe("a store", () => {
  it("ADP-07: is never asked to bring back a session that was signed out of meanwhile", async () => {
    const adapter = memoryAdapter()
    const host = openHost({ adapter, session: { updateAge: 0 } })
    await host.browser.signIn("oidc")
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    await Promise.all([host.browser.signOut(), ...Array.from({ length: 20 }, () => host.browser.newTab().session())])
    expect(await adapter.getSessionAndUser(token)).toBeNull()
    expect(adapter.calls.filter(({ method }) => method === "createSession")).toHaveLength(1)
  })

  it.each<[string, keyof Adapter, (adapter: Adapter) => TestHost]>([
    ["links by mail", "useVerificationToken", (adapter) => openHost({ adapter, providers: [testEmail()] })],
    ["stored sessions", "getSessionAndUser", (adapter) => openHost({ adapter })],
    ["passkeys", "getAuthenticator", (adapter) => openHost({ adapter, providers: [Passkey()] })],
  ])(
    "ADP-10: a store that lacks what %s need is refused at start, by the method's name: %s",
    async (_, method, open) => {
      const { [method]: __, ...incomplete } = memoryAdapter()
      const host = open(incomplete as Adapter)
      expect((await ask(host, "/auth/session")).status).toBe(500)
      expect(host.logger.errors).toMatchObject([
        { type: "MissingAdapterMethods", message: expect.stringContaining(method) },
      ])
      expect((await post(host.browser, "/auth/signout")).status).toBe(500)
    },
  )

  it("ADP-14: creates no session if the app rejects the user at the last moment", async () => {
    const adapter = memoryAdapter()
    const asked: string[] = []
    const host = openHost({ adapter, callbacks: { signIn: ({ user }) => asked.push(user.id ?? "") < 2 } })
    await host.newBrowser().signIn("oidc")
    const before = adapter.calls.length
    expect(pathOfPage(await host.browser.signIn("oidc"))).toBe("/auth/error?error=AccessDenied")
    const written = adapter.calls.slice(before).map(({ method }) => method)
    expect(written.filter((name) => /^(create|update|link|delete)/.test(name))).toEqual([])
    expect([asked.length, await host.browser.session()]).toEqual([2, null])
  })
})
