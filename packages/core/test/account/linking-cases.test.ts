import { type FaultName, type FixedClock, fakeIdentityProvider, fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { sendBack, strategies } from "../setup/oauth-stage.js"
import { post } from "../setup/requests.js"
import { pathOfPage, sessionCookie } from "../setup/sign-ins.js"

/** V signs in at `oidc`. Another person with an unknown address signs in at `other`. */
function open(strategy: (typeof strategies)[number], maxAge?: number) {
  const adapter = memoryAdapter()
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "attacker", name: "Mallory", email: "mallory@evil.test" },
  })
  const host = openHost({
    adapter,
    session: { strategy, ...(maxAge !== undefined && { maxAge }) },
    network: { [other.origin]: other.handler },
    providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
  })
  const ownerOf = (provider: string, providerAccountId: string) =>
    adapter.getUserByAccount({ provider, providerAccountId })
  return { host, adapter, other, ownerOf, stageOfOther: { host, idp: other, adapter, id: "other" } }
}

describe.each(strategies)("linking with %s sessions", (strategy) => {
  it("LINK-07: a code that an attacker delivers to a signed-in user links nothing", async () => {
    const { host, other, ownerOf, stageOfOther } = open(strategy)
    await host.browser.signIn("oidc")
    const session = host.browser.cookies.get(sessionCookie)
    const attacker = host.newBrowser()
    const back = await sendBack({ ...stageOfOther, host: { ...host, browser: attacker } })
    const page = await host.browser.open(back, { from: "https://evil.test" })
    expect([pathOfPage(page), host.logger.errorTypes()]).toEqual(["/auth/error?error=Configuration", ["InvalidCheck"]])
    expect([await ownerOf("other", "attacker"), other.requests.token]).toEqual([null, []])
    expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    if (strategy === "database") expect(host.browser.cookies.get(sessionCookie)).toBe(session)
  })

  it("LINK-10: a session that ends between the start and the callback is linked to nothing", async () => {
    using clock: FixedClock = fixedClock()
    const { host, ownerOf } = open(strategy, 600)
    await host.browser.signIn("oidc")
    const kept = host.browser.cookies.get(sessionCookie) ?? ""
    const begun = await post(host.browser, "/auth/signin/other", { callbackUrl: "/in" })
    clock.advance({ seconds: 620 })
    host.browser.cookies.set(sessionCookie, kept, { expiresAt: null })
    expect((await host.browser.open(begun.location ?? "")).url.pathname).toBe("/in")
    const [linked, victim] = [await ownerOf("other", "attacker"), await ownerOf("oidc", "ada-1815")]
    expect([linked?.email, linked?.id === victim?.id]).toEqual(["mallory@evil.test", false])
    expect((await host.browser.session())?.user?.name).toBe("Mallory")
  })

  it("LINK-10: a session that was ended by a sign-out is linked to nothing", async () => {
    const { host, ownerOf, stageOfOther } = open(strategy)
    await host.browser.signIn("oidc")
    const back = await sendBack(stageOfOther)
    await post(host.browser, "/auth/signout")
    await host.browser.open(back)
    expect((await ownerOf("other", "attacker"))?.email).toBe("mallory@evil.test")
  })

  it("LINK-11: concurrent first sign-ins create one user and one account; the others sign in or are rejected", async () => {
    const { host, adapter, ownerOf } = open(strategy)
    const browsers = Array.from({ length: 8 }, () => host.newBrowser())
    const pages = await Promise.all(browsers.map((browser) => browser.signIn("oidc", { callbackUrl: "/in" })))
    const owner = await ownerOf("oidc", "ada-1815")
    expect((await adapter.getUserByEmail("ada@example.com"))?.id).toBe(owner?.id)
    const endPaths = new Set(pages.map(({ url }) => url.pathname))
    expect(endPaths.has("/in")).toBe(true)
    for (const endPath of endPaths) expect(["/in", "/auth/signin", "/auth/error"]).toContain(endPath)
    await Promise.all(
      browsers.map(async (browser) => {
        await browser.signIn("oidc")
        expect((await browser.session())?.user?.email).toBe("ada@example.com")
      }),
    )
    expect((await ownerOf("oidc", "ada-1815"))?.id).toBe(owner?.id)
    expect(host.events.of("linkAccount")).toHaveLength(1)
  })
})

describe.each(strategies)("allowDangerousEmailAccountLinking at plain OAuth with %s sessions", (strategy) => {
  it.each([
    [true, "/in?"],
    [undefined, "/in?"],
    [false, "/auth/signin?error=OAuthAccountNotLinked"],
    ["false", "/auth/signin?error=OAuthAccountNotLinked"],
  ])("LINK-03: email_verified %j ends on %s", async (email_verified, endPath) => {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "u-v", email: "v@corp.test", name: "V", emailVerified: new Date("2029-01-01") })
    const host = openHost({
      adapter,
      session: { strategy },
      providers: ({ idp }) => [idp.oauthProvider({ allowDangerousEmailAccountLinking: true })],
    })
    host.idp.signInAs({ sub: "1", email: "v@corp.test", ...(email_verified !== undefined && { email_verified }) } as {
      sub: string
    })
    expect(pathOfPage(await host.browser.signIn("oauth", { callbackUrl: "/in" }))).toBe(endPath)
    const owner = await adapter.getUserByAccount({ provider: "oauth", providerAccountId: "1" })
    expect(owner?.id).toBe(endPath === "/in?" ? "u-v" : undefined)
  })
})

describe.each(strategies)("what a rejection reveals with %s sessions", (strategy) => {
  /** The page after a sign-in at `other` with the address of an existing user. */
  async function shownFor(owner: "oidc" | "host" | "nobody", fault?: FaultName) {
    const { host, adapter, other } = open(strategy)
    if (owner === "oidc") await host.newBrowser().signIn("oidc")
    if (owner === "host") await adapter.createUser({ id: "u-v", email: "ada@example.com", emailVerified: new Date() })
    other.signInAs({ sub: "attacker", email: "ada@example.com", email_verified: true })
    if (fault) other.faults.turnOn(fault)
    const page = await host.browser.signIn("other")
    const text = page.text().replace(/[0-9A-Z]{4}-[0-9A-Z]{2}|[0-9a-f]{64}/g, "")
    return { endPath: pathOfPage(page), text }
  }

  it("ENUM-03: nothing of how the existing account signs in", async () => {
    const shown = await shownFor("oidc")
    expect(shown.endPath).toBe("/auth/signin?error=OAuthAccountNotLinked")
    expect(await shownFor("host")).toEqual(shown)
  })

  it("ENUM-03: nothing of whether there is an account before the provider has proved the address", async () => {
    const shown = await shownFor("oidc", "id-token-signature-changed")
    expect(shown.endPath).toBe("/auth/error?error=Configuration")
    expect(await shownFor("nobody", "id-token-signature-changed")).toEqual(shown)
  })
})
