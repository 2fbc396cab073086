import type { AdapterAccount, AdapterUser } from "@latchkey/core/adapters"
import type { OAuthUserConfig } from "@latchkey/core/types"
import {
  ada,
  fakeIdentityProvider,
  fixedClock,
  type MemoryAdapter,
  memoryAdapter,
  type TestHost,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { pathOfPage, sessionCookie } from "../setup/sign-ins.js"

interface Stage {
  readonly host: TestHost
  readonly adapter: MemoryAdapter
  /** The writing methods that were called since the last check. */
  written(): readonly string[]
}

type Strategy = "jwt" | "database"

const writing = /^(create|update|link|delete|unlink)/

/** Two providers: Ada signs in at `oidc`, and a person with the subject `1` at `other`. */
function openStage(strategy: Strategy = "database", other: OAuthUserConfig = {}, email = "ada@example.com"): Stage {
  const adapter = memoryAdapter()
  const second = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "1", name: "Somebody", email, email_verified: true },
  })
  const host = openHost({
    adapter,
    session: { strategy },
    network: { [second.origin]: second.handler },
    providers: ({ idp }) => [idp.provider(), second.oauthProvider({ id: "other", ...other })],
  })
  const start = { calls: 0 }
  return {
    host,
    adapter,
    written() {
      const names = adapter.calls.slice(start.calls).map(({ method }) => method)
      start.calls = adapter.calls.length
      return names.filter((name) => writing.test(name))
    },
  }
}

const userOf = (adapter: MemoryAdapter, provider: string, providerAccountId: string) =>
  adapter.getUserByAccount({ provider, providerAccountId })

const sessionRow = (strategy: Strategy) => (strategy === "database" ? ["createSession"] : [])

describe.each<Strategy>(["jwt", "database"])("linking with %s sessions", (strategy) => {
  it("signed out, account and address unknown: a user is created and linked", async () => {
    const { host, adapter, written } = openStage(strategy)
    await host.browser.signIn("oidc")
    expect(written()).toEqual(["createUser", "linkAccount", ...sessionRow(strategy)])
    const user = await adapter.getUserByEmail("ada@example.com")
    expect(user).toMatchObject({ name: "Ada Lovelace", email: "ada@example.com", emailVerified: null })
    expect(host.events.names()).toEqual(["createUser", "linkAccount", "signIn"])
    expect(host.events.of("signIn")).toMatchObject([{ user: { id: user?.id }, isNewUser: true }])
    expect(host.events.of("linkAccount")).toMatchObject([
      {
        user: { id: user?.id },
        account: { provider: "oidc", providerAccountId: "ada-1815" },
        profile: { name: "Ada Lovelace" },
      },
    ])
  })

  it("signed out, no address: a user is created, without a lookup by address", async () => {
    const { host, adapter, written } = openStage(strategy)
    host.idp.signInAs({ sub: "nameless" })
    await host.browser.signIn("oidc")
    expect(written()).toEqual(["createUser", "linkAccount", ...sessionRow(strategy)])
    expect(adapter.calls.map(({ method }) => method)).not.toContain("getUserByEmail")
  })

  it("signed out, account known: a session for its owner, and only the signIn event", async () => {
    const { host, written } = openStage(strategy)
    await host.browser.signIn("oidc")
    written()
    host.events.clear()
    const second = host.newBrowser()
    await second.signIn("oidc")
    expect(written()).toEqual(sessionRow(strategy))
    expect(host.events.names()).toEqual(["signIn"])
    expect(host.events.of("signIn")).toMatchObject([{ isNewUser: false }])
    expect(await second.session()).not.toBeNull()
  })

  it("LINK-01, LINK-02, ENUM-03: signed out, address known: refused, also where the provider verified it", async () => {
    const { host, written } = openStage(strategy)
    await host.newBrowser().signIn("oidc")
    written()
    const page = await host.browser.signIn("other")
    expect(pathOfPage(page)).toBe("/auth/signin?error=OAuthAccountNotLinked")
    expect([written(), await host.browser.session()]).toEqual([[], null])
    expect(host.logger.errorTypes()).toEqual(["OAuthAccountNotLinked"])
    expect(page.text()).not.toMatch(/Test identity provider.*already/)
  })

  it("signed in, account of the same user: nothing is written but a new session, which ends the former", async () => {
    const { host, written } = openStage(strategy)
    await host.browser.signIn("oidc")
    const before = host.browser.cookies.get(sessionCookie)
    written()
    await host.browser.signIn("oidc")
    expect(written()).toEqual(strategy === "database" ? ["createSession", "deleteSession"] : [])
    expect(host.browser.cookies.get(sessionCookie)).not.toBe(before)
  })

  it("LINK-06: signed in, account of another user: refused, no switch", async () => {
    const { host, written } = openStage(strategy, {}, "w@corp.test")
    await host.newBrowser().signIn("other")
    await host.browser.signIn("oidc")
    written()
    const page = await host.browser.signIn("other")
    expect(pathOfPage(page)).toBe("/auth/signin?error=OAuthAccountNotLinked")
    expect([written(), (await host.browser.session())?.user?.name]).toEqual([[], "Ada Lovelace"])
  })

  it.each(["ada@example.com", "elsewhere@corp.test"])(
    "signed in, account unknown: linked to the current user, for any address (%s)",
    async (email) => {
      const { host, adapter, written } = openStage(strategy, {}, email)
      await host.browser.signIn("oidc")
      written()
      host.events.clear()
      await host.browser.signIn("other")
      expect(written()).toEqual(["linkAccount", ...(strategy === "database" ? ["createSession", "deleteSession"] : [])])
      expect((await userOf(adapter, "other", "1"))?.id).toBe((await userOf(adapter, "oidc", "ada-1815"))?.id)
      expect(host.events.names()).toEqual(["linkAccount", "signIn"])
      expect(host.events.of("signIn")).toMatchObject([{ isNewUser: false }])
      expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    },
  )
})

describe("a session that ended in the meantime", () => {
  it("LINK-10: links nothing to its former user", async () => {
    using clock = fixedClock()
    const { host, adapter } = openStage("database", {}, "w@corp.test")
    await host.browser.signIn("oidc")
    const token = host.browser.cookies.get(sessionCookie) ?? ""
    clock.advance({ days: 31 })
    host.browser.cookies.set(sessionCookie, token, { expiresAt: null })
    await host.browser.signIn("other")
    expect((await userOf(adapter, "other", "1"))?.email).toBe("w@corp.test")
    expect((await host.browser.session())?.user?.name).toBe("Somebody")
  })
})

describe("allowDangerousEmailAccountLinking", () => {
  const flag = { allowDangerousEmailAccountLinking: true }
  const proven: Omit<AdapterUser, "id"> = { email: "v@corp.test", name: "V", emailVerified: new Date("2029-01-01") }

  async function signInAtOther(claims: Record<string, unknown>, user: Omit<AdapterUser, "id"> = proven) {
    const { host, adapter, written } = openStage("database", {}, "unused@corp.test")
    await adapter.createUser({ ...user, id: "u-v" })
    written()
    host.idp.signInAs({ ...ada, email: "v@corp.test", ...claims })
    const [oidc] = host.config.providers
    const page = await openHost({ adapter, idp: host.idp, providers: [{ ...Object(oidc), ...flag }] }).browser.signIn(
      "oidc",
      { callbackUrl: "/in" },
    )
    return { endPath: pathOfPage(page), written: written(), adapter }
  }

  it.each([true, undefined])(
    "LINK-03: links to the user with the address; email_verified %s",
    async (email_verified) => {
      const { endPath, written, adapter } = await signInAtOther({ email_verified })
      expect([endPath, written]).toEqual(["/in?", ["linkAccount", "createSession"]])
      expect((await userOf(adapter, "oidc", "ada-1815"))?.id).toBe("u-v")
    },
  )

  it.each([false, "false"])(
    "LINK-03: rejects an address that the provider has not verified: %j",
    async (email_verified) => {
      const { endPath, written } = await signInAtOther({ email_verified })
      expect([endPath, written]).toEqual(["/auth/signin?error=OAuthAccountNotLinked", []])
    },
  )

  it("LINK-05: does not match a look-alike address", async () => {
    const kelvin = "\u212Aim@corp.test"
    const { written, adapter } = await signInAtOther({ email: kelvin }, { ...proven, email: "kim@corp.test" })
    expect((await userOf(adapter, "oidc", "ada-1815"))?.id).not.toBe("u-v")
    expect(written).not.toContain("updateUser")
  })
})

describe("the owner of an account", () => {
  it("LINK-08: is found by provider and subject together", async () => {
    const { host, adapter } = openStage("database", {}, "other@corp.test")
    host.idp.signInAs({ sub: "1", email: "first@corp.test" })
    await host.browser.signIn("oidc")
    await host.newBrowser().signIn("other")
    expect((await userOf(adapter, "oidc", "1"))?.id).not.toBe((await userOf(adapter, "other", "1"))?.id)
  })

  it("LINK-09: compares subjects exactly", async () => {
    const { host, adapter } = openStage()
    const subjects = ["abc", "ABC", "abc ", "1000", "1e3"]
    for (const [n, sub] of subjects.entries()) {
      host.idp.signInAs({ sub, email: `${n}@corp.test` })
      await host.newBrowser().signIn("oidc")
    }
    expect(adapter.calls.filter(({ method }) => method === "createUser")).toHaveLength(subjects.length)
  })

  it("LINK-11, ADP-05, ADP-06: two concurrent first sign-ins create one user and one account", async () => {
    const { host, adapter } = openStage()
    const browsers = [host.browser, host.newBrowser(), host.newBrowser()]
    await Promise.all(browsers.map((browser) => browser.signIn("oidc")))
    const sessions = await Promise.all(browsers.map((browser) => browser.session()))
    expect(sessions.filter((session) => session !== null).length).toBeGreaterThanOrEqual(1)
    const owner = await userOf(adapter, "oidc", "ada-1815")
    expect((await adapter.getUserByEmail("ada@example.com"))?.id).toBe(owner?.id)
  })

  it("ADP-09: is deleted again if the account cannot be linked", async () => {
    const adapter = memoryAdapter()
    const state = { isBroken: true }
    const linkAccount = (account: AdapterAccount) =>
      state.isBroken ? Promise.reject(new Error("disk full")) : adapter.linkAccount(account)
    const host = openHost({ adapter: { ...adapter, linkAccount } })
    const page = await host.browser.signIn("oidc")
    expect([pathOfPage(page), await host.browser.session()]).toEqual(["/auth/error?error=Configuration", null])
    expect(await adapter.getUserByEmail("ada@example.com")).toBeNull()
    expect(host.logger.errorTypes()).toContain("AdapterError")
    state.isBroken = false
    await host.browser.signIn("oidc")
    expect(await host.browser.session()).not.toBeNull()
  })
})
