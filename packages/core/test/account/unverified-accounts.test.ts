import type { Adapter } from "@latchkey/core/adapters"
import type { OIDCUserConfig } from "@latchkey/core/types"
import { fakeIdentityProvider, type MemoryAdapter, memoryAdapter, type TestHost, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { type Strategy, strategies } from "../setup/oauth-stage.js"
import { passwordProvider, pathOfPage, sessionCookie } from "../setup/sign-ins.js"

const email = "v@corp.test"
const refusedMail = "/auth/signin?error=AccountNotLinked"
const refusedLink = "/auth/signin?error=OAuthAccountNotLinked"

interface Stage {
  readonly host: TestHost
  readonly stored: MemoryAdapter
  /** The writing methods that were called since the last check, except for the records of flows. */
  written(): readonly string[]
}

interface StageOptions {
  readonly strategy: Strategy
  readonly hasPasswords?: boolean
  readonly linking?: OIDCUserConfig
  /** Methods to remove from the store. */
  readonly without?: readonly (keyof Adapter)[]
}

/**
 * Emailed links, optional passwords, and two providers: `oidc` signs people in with any address and sends no
 * `email_verified`; V has an account at `idp2`, which verifies addresses.
 */
function openStage({ strategy, hasPasswords = false, linking = {}, without = [] }: StageOptions): Stage {
  const { calls, ...methods } = memoryAdapter()
  const stored = { calls, ...methods }
  const kept = Object.entries(methods).filter(([name]) => !without.includes(name as keyof Adapter)) // as: an adapter has only methods
  const idp2 = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "v", name: "V", email, email_verified: true },
  })
  const host = openHost({
    adapter: Object.fromEntries(kept),
    session: { strategy },
    network: { [idp2.origin]: idp2.handler },
    providers: ({ idp }) => [
      idp.provider(),
      idp2.provider({ id: "idp2", ...linking }),
      testEmail(),
      ...(hasPasswords ? [passwordProvider()] : []),
    ],
  })
  host.idp.signInAs({ sub: "attacker", name: "Mallory", email })
  const seen = { calls: 0 }
  return {
    host,
    stored,
    written() {
      const fresh = calls.slice(seen.calls).map(({ method }) => method)
      seen.calls = calls.length
      return fresh.filter((method) => /^(create|update|link|unlink|delete|prove)/.test(method))
    },
  }
}

/** Follows a link that was sent to V. */
async function signInByMail({ host, written }: Stage, browser = host.newBrowser()) {
  await browser.signIn("email", { email })
  written()
  host.events.clear()
  const page = await browser.open(host.mailbox.lastLink())
  return { endPath: pathOfPage(page), session: await browser.session(), written: written(), browser }
}

describe.each(strategies)("an account with an unverified address, with %s sessions", (strategy) => {
  it("MAIL-18: an account from a provider that verifies nothing does not open to the owner of the mailbox", async () => {
    const stage = openStage({ strategy })
    const { host, stored } = stage
    await host.browser.signIn("oidc")
    const before = await stored.getUserByEmail(email)
    const { endPath, session, written, browser } = await signInByMail(stage)
    expect([endPath, session, written, host.events.names()]).toEqual([refusedMail, null, [], []])
    expect(browser.cookies.names()).not.toContain(sessionCookie)
    expect(await stored.getUserByEmail(email)).toEqual(before)
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
    expect(host.logger.texts().join()).not.toContain(email)
  })

  it("MAIL-18: an account with a password does not open to the owner of the mailbox", async () => {
    const stage = openStage({ strategy, hasPasswords: true })
    const { host, stored } = stage
    await stored.createUser({ id: "u-v", name: "Mallory", email, emailVerified: null })
    const { endPath, session, written } = await signInByMail(stage)
    expect([endPath, session, written, host.events.names()]).toEqual([refusedMail, null, [], []])
    expect(await stored.getUser("u-v")).toMatchObject({ name: "Mallory", emailVerified: null })
  })

  it("MAIL-18: does not open to a second request or an old link", async () => {
    const stage = openStage({ strategy })
    const { browser } = await signInByMail(stage)
    await stage.host.browser.signIn("oidc")
    await browser.signOut()
    await stage.host.newBrowser().signIn("email", { email })
    // The first link verified the address before another user could take it.
    expect((await signInByMail(stage, browser)).session?.user?.email).toBe(email)
    expect(await stage.host.browser.session()).toBeNull()
  })

  it("MAIL-18: opens to its signed-in user with the mailbox, and to the mailbox from then on", async () => {
    const stage = openStage({ strategy })
    await stage.host.browser.signIn("oidc")
    expect((await signInByMail(stage, stage.host.browser)).session).not.toBeNull()
    expect((await stage.stored.getUserByEmail(email))?.emailVerified).toBeInstanceOf(Date)
    expect((await signInByMail(stage)).session?.user?.email).toBe(email)
    expect(stage.host.logger.errors).toEqual([])
  })

  it("LINK-04: is not linked to a trusted provider, for any email_verified", async () => {
    for (const linking of [{}, { allowDangerousEmailAccountLinking: true }]) {
      const { host, stored, written } = openStage({ strategy, linking })
      await host.browser.signIn("oidc")
      written()
      host.events.clear()
      const victim = host.newBrowser()
      expect(pathOfPage(await victim.signIn("idp2"))).toBe(refusedLink)
      expect([written(), host.events.names(), await victim.session()]).toEqual([[], [], null])
      expect(await stored.getUserByAccount({ provider: "idp2", providerAccountId: "v" })).toBeNull()
      expect((await host.browser.session())?.user?.email).toBe(email)
      host.idp.signInAs({ sub: "somebody", email: "new@corp.test" })
      expect(pathOfPage(await victim.signIn("oidc", { callbackUrl: "/in" }))).toBe("/in?")
    }
  })
})

describe.each(strategies)("an account with a verified address, with %s sessions", (strategy) => {
  const linking = { allowDangerousEmailAccountLinking: true }

  it("MAIL-18: opens to the owner of the mailbox if a provider verified it", async () => {
    const stage = openStage({ strategy, hasPasswords: true })
    await stage.host.newBrowser().signIn("idp2")
    const { session, written } = await signInByMail(stage)
    expect(session?.user?.name).toBe("V")
    expect(written).toEqual(["updateUser", ...(strategy === "database" ? ["createSession"] : [])])
  })

  it("LINK-04: is linked to a trusted provider if another provider verified it", async () => {
    const { host, stored } = openStage({ strategy, linking })
    host.idp.signInAs({ sub: "v-elsewhere", email, email_verified: true })
    await host.newBrowser().signIn("oidc")
    await host.browser.signIn("idp2")
    const owner = await stored.getUserByAccount({ provider: "idp2", providerAccountId: "v" })
    expect([owner?.email, (await host.browser.session())?.user?.email]).toEqual([email, email])
  })

  it("LINK-04: is linked to a trusted provider if an email link verified it", async () => {
    const stage = openStage({ strategy, linking })
    await signInByMail(stage)
    await stage.host.browser.signIn("idp2")
    expect((await stage.host.browser.session())?.user?.email).toBe(email)
    expect(stage.host.logger.errors).toEqual([])
  })

  it("LINK-04: is not linked after the address changed", async () => {
    const { host, stored } = openStage({ strategy, linking })
    host.idp.signInAs({ sub: "mallory", email: "mallory@evil.test", email_verified: true })
    await host.browser.signIn("oidc")
    const mallory = await stored.getUserByEmail("mallory@evil.test")
    await stored.updateUser({ id: mallory?.id ?? "", email })
    expect(pathOfPage(await host.newBrowser().signIn("idp2"))).toBe(refusedLink)
  })
})

describe("a user that the app created in advance", () => {
  it("opens to the owner of the mailbox if it has no accounts yet", async () => {
    const stage = openStage({ strategy: "database" })
    await stage.stored.createUser({ id: "u-v", email, emailVerified: null })
    expect((await signInByMail(stage)).session?.user?.email).toBe(email)
  })

  it("opens to a trusted provider after the app marked the address as verified", async () => {
    const linking = { allowDangerousEmailAccountLinking: true }
    const { host, stored } = openStage({ strategy: "database", linking })
    await stored.createUser({ id: "u-v", email, emailVerified: null })
    expect(pathOfPage(await host.browser.signIn("idp2"))).toBe(refusedLink)
    await stored.markEmailVerified({ userId: "u-v", email, provider: "invitation" })
    await host.browser.signIn("idp2")
    expect((await host.browser.session())?.user?.email).toBe(email)
  })

  it("does not open if the store cannot list accounts", async () => {
    const stage = openStage({ strategy: "database", without: ["listAccountsByUserId"] })
    await stage.stored.createUser({ id: "u-v", email, emailVerified: null })
    expect((await signInByMail(stage)).endPath).toBe(refusedMail)
  })
})

describe.each(strategies)("a store that does not keep verifications, with %s sessions", (strategy) => {
  const without = ["markEmailVerified", "isEmailVerified"] as const
  const linking = { allowDangerousEmailAccountLinking: true }
  const warning = "email-linking-unproven"

  it("MAIL-18: opens unverified accounts to the owner of the mailbox, by the contract (documented)", async () => {
    const stage = openStage({ strategy, without })
    await stage.host.browser.signIn("oidc")
    const { session, written } = await signInByMail(stage)
    expect(session?.user?.email).toBe(email)
    expect(written[0]).toBe("updateUser")
    expect(stage.host.logger.warnings).not.toContain(warning)
    expect(stage.host.logger.warnings.filter((code) => code === "email-unproven")).toHaveLength(1)
  })

  it("LINK-04: links to unverified accounts, and warns once if a provider links by address", async () => {
    const { host } = openStage({ strategy, without, linking })
    await host.newBrowser().signIn("oidc")
    await host.browser.signIn("idp2")
    expect((await host.browser.session())?.user?.email).toBe(email)
    expect(host.logger.warnings.filter((code) => code === warning)).toEqual([warning])
  })

  it("LINK-04: is the only kind of store that causes the warning", async () => {
    const { host } = openStage({ strategy, linking })
    await host.browser.signIn("idp2")
    expect(host.logger.warnings).not.toContain(warning)
  })
})
