import type { Adapter } from "@latchkey/core/adapters"
import { fakeIdentityProvider, fixedClock, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "./hosts.js"
import { type Strategy, strategies } from "./oauth-stage.js"
import { landingOf, sessionCookie } from "./sign-ins.js"

interface RenewalOptions {
  readonly strategy?: Strategy
  readonly session?: { readonly maxAge?: number; readonly absoluteMaxAge?: number }
  readonly override?: Partial<Adapter>
}

/** Ada has an account at two providers, `oidc` and `other`, and is signed in by the first. */
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

/** What a copy of a session's cookie is worth in another browser. */
async function sessionOf(host: TestHost, token: string) {
  const thief = host.newBrowser()
  thief.cookies.set(sessionCookie, token)
  return thief.session()
}

describe.each(strategies)("an account that is added, with %s sessions", (strategy) => {
  it("DBS-11: gives the browser a new token, and leaves the person signed in as before", async () => {
    const { host } = await openSignedIn({ strategy })
    const before = tokenOf(host)
    const shown = await host.browser.session()
    expect(landingOf(await host.browser.signIn("other", { callbackUrl: "/in" }))).toBe("/in?")
    expect(tokenOf(host)).not.toBe(before)
    expect((await host.browser.session())?.user).toEqual(shown?.user)
    expect(host.logger.errors).toEqual([])
  })
})

describe("an account that is added to a stored session", () => {
  it("DBS-11: ends the old token, and makes one row of one row", async () => {
    const { host, adapter } = await openSignedIn()
    const before = tokenOf(host)
    await host.browser.signIn("other")
    expect(await adapter.getSessionAndUser(before)).toBeNull()
    expect(await sessionOf(host, before)).toBeNull()
    const written = adapter.calls.map(({ method }) => method).filter((method) => /(create|delete)Session/.test(method))
    expect(written).toEqual(["createSession", "createSession", "deleteSession"])
  })

  it("DBS-11: leaves the person's sessions in other browsers to the host", async () => {
    const { host } = await openSignedIn()
    const phone = host.newBrowser()
    await phone.signIn("oidc")
    await host.browser.signIn("other")
    expect(await phone.session()).not.toBeNull()
  })

  it("DBS-11: lets the session end when it would have ended", async () => {
    using clock = fixedClock()
    const { host, adapter } = await openSignedIn({ session: { maxAge: 3600 } })
    const before = await adapter.getSessionAndUser(tokenOf(host))
    clock.advance({ seconds: 600 })
    await host.browser.signIn("other")
    const after = await adapter.getSessionAndUser(tokenOf(host))
    expect(after?.session).toEqual({ ...before?.session, sessionToken: tokenOf(host) })
  })

  it("DBS-11: keeps the start of the session, which its cap counts from", async () => {
    using clock = fixedClock()
    const { host } = await openSignedIn({ session: { maxAge: 3600, absoluteMaxAge: 7200 } })
    const mark = tokenOf(host).split("~")[1]
    clock.advance({ seconds: 1800 })
    await host.browser.signIn("other")
    expect([mark, tokenOf(host).split("~")[1]]).toEqual([expect.stringMatching(/./), mark])
  })

  it("DBS-11: leaves the session as it is for an account that was there already", async () => {
    const { host } = await openSignedIn()
    await host.browser.signIn("other")
    const before = tokenOf(host)
    for (const provider of ["oidc", "other"]) await host.browser.signIn(provider)
    expect(tokenOf(host)).toBe(before)
  })

  it("DBS-11: signs nobody out while the store cannot make the new row", async () => {
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
    expect(landingOf(await host.browser.signIn("other"))).toBe("/auth/error?error=Configuration")
    expect([tokenOf(host), await host.browser.session()]).toEqual([before, expect.anything()])
  })
})
