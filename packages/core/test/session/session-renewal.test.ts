import type { Adapter } from "@latchkey/core/adapters"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { fakeIdentityProvider, fixedClock, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { type Strategy, strategies } from "../setup/oauth-stage.js"
import { pathOfPage, sessionCookie } from "../setup/sign-ins.js"

interface RenewalOptions {
  readonly strategy?: Strategy
  readonly session?: Omit<NonNullable<AuthConfig["session"]>, "strategy">
  readonly override?: Partial<Adapter>
}

/** Ada has accounts at two providers, `oidc` and `other`, and is signed in with the first. */
async function openSignedIn({ strategy = "database", session = {}, override = {} }: RenewalOptions = {}) {
  const adapter = memoryAdapter()
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "ada-elsewhere", email: "countess@corp.test" },
  })
  const host = openHost({
    adapter: { ...adapter, ...override },
    session: { strategy, ...session },
    network: { [other.origin]: other.handler },
    providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
  })
  await host.browser.signIn("oidc")
  return { host, adapter }
}

const tokenOf = ({ browser }: Pick<TestHost, "browser">) => browser.cookies.get(sessionCookie) ?? ""

/** The session that a copied cookie has in another browser. */
async function sessionOf(host: TestHost, token: string) {
  const thief = host.newBrowser()
  thief.cookies.set(sessionCookie, token)
  return thief.session()
}

describe.each(strategies)("adding an account, with %s sessions", (strategy) => {
  it("DBS-11: gives the browser a new token, and keeps the user signed in", async () => {
    const { host } = await openSignedIn({ strategy })
    const before = tokenOf(host)
    const shown = await host.browser.session()
    expect(pathOfPage(await host.browser.signIn("other", { callbackUrl: "/in" }))).toBe("/in?")
    expect(tokenOf(host)).not.toBe(before)
    expect((await host.browser.session())?.user).toEqual(shown?.user)
    expect(host.logger.errors).toEqual([])
  })

  it.each([
    ["without records", {}],
    ["with records", { track: trackSessions() }],
  ])("DBS-11, JWT-23: does not prolong the session beyond absoluteMaxAge, %s", async (_, tracking) => {
    using clock = fixedClock()
    const { host } = await openSignedIn({ strategy, session: { absoluteMaxAge: 7200, ...tracking } })
    clock.advance({ seconds: 5400 })
    await host.browser.signIn("other")
    clock.advance({ seconds: 1799 })
    expect(await host.browser.session()).not.toBeNull()
    clock.advance({ seconds: 1 })
    expect(await host.browser.session()).toBeNull()
  })
})

describe("adding an account to a database session", () => {
  it("DBS-11: replaces the row, so that the old token is invalid", async () => {
    const { host, adapter } = await openSignedIn()
    const before = tokenOf(host)
    await host.browser.signIn("other")
    expect(await adapter.getSessionAndUser(before)).toBeNull()
    expect(await sessionOf(host, before)).toBeNull()
    const written = adapter.calls.map(({ method }) => method).filter((method) => /(create|delete)Session/.test(method))
    expect(written).toEqual(["createSession", "createSession", "deleteSession"])
  })

  it("DBS-11: leaves the user's sessions in other browsers to the app", async () => {
    const { host } = await openSignedIn()
    const phone = host.newBrowser()
    await phone.signIn("oidc")
    await host.browser.signIn("other")
    expect(await phone.session()).not.toBeNull()
  })

  it("DBS-11: keeps the expiry of the session", async () => {
    using clock = fixedClock()
    const { host, adapter } = await openSignedIn({ session: { maxAge: 3600 } })
    const before = await adapter.getSessionAndUser(tokenOf(host))
    clock.advance({ seconds: 600 })
    await host.browser.signIn("other")
    const after = await adapter.getSessionAndUser(tokenOf(host))
    expect(after?.session).toEqual({ ...before?.session, sessionToken: tokenOf(host) })
  })

  it("DBS-11: keeps the start of the session for absoluteMaxAge", async () => {
    using clock = fixedClock()
    const { host } = await openSignedIn({ session: { maxAge: 3600, absoluteMaxAge: 7200 } })
    const mark = tokenOf(host).split("~")[1]
    clock.advance({ seconds: 1800 })
    await host.browser.signIn("other")
    expect([mark, tokenOf(host).split("~")[1]]).toEqual([expect.stringMatching(/./), mark])
  })

  it("DBS-11: renews the session when the account was linked before", async () => {
    const { host, adapter } = await openSignedIn()
    await host.browser.signIn("other")
    for (const provider of ["oidc", "other"]) {
      const before = tokenOf(host)
      await host.browser.signIn(provider)
      expect(tokenOf(host)).not.toBe(before)
      expect(await adapter.getSessionAndUser(before)).toBeNull()
    }
  })

  it("DBS-11: keeps the session when the store cannot create the new row", async () => {
    const state = { isDown: false }
    const sound = memoryAdapter()
    const { host } = await openSignedIn({
      override: {
        ...sound,
        createSession: (row) => (state.isDown ? Promise.reject(new Error("disk full")) : sound.createSession(row)),
      },
    })
    const before = tokenOf(host)
    state.isDown = true
    expect(pathOfPage(await host.browser.signIn("other"))).toBe("/auth/error?error=Configuration")
    expect([tokenOf(host), await host.browser.session()]).toEqual([before, expect.anything()])
  })
})
