import type { AuthConfig } from "@latchkey/core/types"
import { fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openPasskeys } from "../setup/passkey-setup.js"
import { post } from "../setup/requests.js"

/** Callbacks that end every session from a moment on, as with a revocation list. */
function revocation() {
  const state = { isRevoked: false }
  const callbacks: AuthConfig["callbacks"] = {
    jwt: ({ token, user }) => (state.isRevoked && !user ? null : token),
  }
  const revoke = () => {
    state.isRevoked = true
  }
  return { callbacks, revoke }
}

function openLinking() {
  const adapter = memoryAdapter()
  const { callbacks, revoke } = revocation()
  const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "thief", email: "t@evil.test" } })
  const host = openHost({
    adapter,
    session: { strategy: "jwt" },
    callbacks,
    network: { [other.origin]: other.handler },
    providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
  })
  const ownerOf = (provider: string, providerAccountId: string) =>
    adapter.getUserByAccount({ provider, providerAccountId })
  return { host, revoke, ownerOf }
}

describe("a stateless session that the jwt callback has ended", () => {
  it("JWT-24, LINK-10: links no account in a sign-in that begins afterwards", async () => {
    const { host, revoke, ownerOf } = openLinking()
    await host.browser.signIn("oidc")
    revoke()
    await host.browser.signIn("other")
    const [thief, victim] = [await ownerOf("other", "thief"), await ownerOf("oidc", "ada-1815")]
    expect([thief?.email, thief?.id === victim?.id]).toEqual(["t@evil.test", false])
  })

  it("JWT-24, LINK-10: links no account in a sign-in that began before", async () => {
    const { host, revoke, ownerOf } = openLinking()
    await host.browser.signIn("oidc")
    const { location } = await post(host.browser, "/auth/signin/other")
    revoke()
    await host.browser.open(location ?? "")
    const [thief, victim] = [await ownerOf("other", "thief"), await ownerOf("oidc", "ada-1815")]
    expect([thief?.email, thief?.id === victim?.id]).toEqual(["t@evil.test", false])
  })

  it("JWT-24, WAN-18: gets no options to register a passkey", async () => {
    const { callbacks, revoke } = revocation()
    const { visitor } = openPasskeys({ strategy: "jwt", callbacks })
    const thief = visitor()
    await thief.signInByPassword()
    revoke()
    expect((await thief.ask({ action: "register" })).status).toBe(400)
  })

  it("JWT-24, WAN-18: registers no passkey with options from before", async () => {
    const { callbacks, revoke } = revocation()
    const { adapter, visitor } = openPasskeys({ strategy: "jwt", callbacks })
    const thief = visitor()
    await thief.signInByPassword()
    const created = await thief.device.create(await thief.creation())
    revoke()
    expect((await thief.finish("register", created)).location).toContain("error=AccountNotLinked")
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
  })
})
