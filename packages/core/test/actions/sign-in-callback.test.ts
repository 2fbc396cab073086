import { AuthError } from "@latchkey/core"
import { OAuthAccountNotLinked } from "@latchkey/core/errors"
import type { CallbacksOptions } from "@latchkey/core/types"
import { fakeIdentityProvider, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { expectQuiet, passwordProvider, pathOfPage } from "../setup/sign-ins.js"

type SignIn = CallbacksOptions["signIn"]

/** Possible in plain JavaScript. */
const odd = (answer: unknown): SignIn => (() => answer) as SignIn
const throwing =
  (error: unknown): SignIn =>
  () => {
    throw error
  }

const ways = [
  ["oidc", {}],
  ["cred", { u: "v", p: "right" }],
] as const

function openAsking(signIn: SignIn) {
  const adapter = memoryAdapter()
  const host = openHost({
    adapter,
    session: { strategy: "jwt" },
    providers: ({ idp }) => [idp.provider(), passwordProvider()],
    callbacks: { signIn },
  })
  return { host, adapter }
}

describe.each(ways)("callbacks.signIn for %s", (id, fields) => {
  it("allows the sign-in by true", async () => {
    const { host } = openAsking(() => true)
    expect((await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })).url.pathname).toBe("/in")
    expect(await host.browser.session()).not.toBeNull()
  })

  it.each<[string, SignIn]>([
    ["false", odd(false)],
    ["null", odd(null)],
    ["undefined", odd(undefined)],
    ["an error that it throws", throwing(new Error("the quota is used up"))],
    ["a rejection", () => Promise.reject(new Error("the quota is used up"))],
  ])("ADP-14: refuses by %s, with AccessDenied", async (_, signIn) => {
    const { host, adapter } = openAsking(signIn)
    const page = await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })
    expect([pathOfPage(page), page.status]).toEqual(["/auth/error?error=AccessDenied", 403])
    expect(page.text()).not.toContain("quota")
    expect(host.logger.errorTypes()).toEqual(["AccessDenied"])
    await expectQuiet(host, host.browser, adapter)
  })

  it.each([
    [new OAuthAccountNotLinked("no"), "/auth/signin?error=OAuthAccountNotLinked"],
    [new AuthError("no"), "/auth/error?error=Configuration"],
  ])("keeps an error of the service that it throws: %s", async (error, endPath) => {
    const { host, adapter } = openAsking(throwing(error))
    expect(pathOfPage(await host.browser.signIn(id, fields))).toBe(endPath)
    expect(host.logger.errors).toEqual([error])
    await expectQuiet(host, host.browser, adapter)
  })

  it.each([
    ["/wait?for=approval", "https://app.test/wait?for=approval"],
    ["https://evil.test/x", "https://app.test/"],
    ["//evil.test", "https://app.test//evil.test"],
    ["javascript:alert(1)", "https://app.test/"],
  ])("URL-17: redirects to %s through the redirect policy, without a session", async (text, href) => {
    const { host, adapter } = openAsking(() => text)
    const page = await host.browser.signIn(id, { ...fields, callbackUrl: "/in" })
    expect([page.url.href, host.logger.errors]).toEqual([href, []])
    await expectQuiet(host, host.browser, adapter)
  })
})

describe("callbacks.signIn", () => {
  it("gets the stored user if the account is known, else the provider's user", async () => {
    const asked: unknown[] = []
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      callbacks: {
        signIn({ user }) {
          asked.push(user)
          return true
        },
      },
    })
    await host.browser.signIn("oidc")
    const stored = await adapter.getUserByEmail("ada@example.com")
    await adapter.updateUser({ id: stored?.id ?? "", name: "Countess" })
    await host.newBrowser().signIn("oidc")
    expect(asked).toMatchObject([{ name: "Ada Lovelace" }, { id: stored?.id, name: "Countess", emailVerified: null }])
    expect(asked[0]).not.toHaveProperty("emailVerified")
  })
})

describe.each(["jwt", "database"] as const)("callbacks.signIn about a stored user, with %s sessions", (strategy) => {
  /** A user with this address is stored. The callback answers for the user's id, and allows every other user. */
  async function openKnowing(answer: boolean | string) {
    const adapter = memoryAdapter()
    await adapter.createUser({ id: "known", email: "ada@example.com", emailVerified: new Date("2029-01-01") })
    const asked: (string | undefined)[] = []
    const host = openHost({
      adapter,
      session: { strategy },
      providers: ({ idp }) => [idp.provider({ allowDangerousEmailAccountLinking: true })],
      callbacks: {
        signIn({ user }) {
          asked.push(user.id)
          return user.id === "known" ? answer : true
        },
      },
    })
    const ownerId = async () =>
      (await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" }))?.id
    return { host, adapter, asked, ownerId }
  }

  it("LINK-03: is asked again when an address leads to the user, and a ban by id holds", async () => {
    const { host, asked, ownerId } = await openKnowing(false)
    const page = await host.browser.signIn("oidc")
    expect(pathOfPage(page)).toBe("/auth/error?error=AccessDenied")
    expect(asked).toEqual([expect.not.stringMatching(/^known$/), "known"])
    expect([await ownerId(), host.events.names(), await host.browser.session()]).toEqual([undefined, [], null])
  })

  it("redirects where the second answer is a URL, and links nothing", async () => {
    const { host, ownerId } = await openKnowing("/appeal")
    expect((await host.browser.signIn("oidc")).url.href).toBe("https://app.test/appeal")
    expect([await ownerId(), host.events.names(), await host.browser.session()]).toEqual([undefined, [], null])
  })

  it("links where the second answer is true, and is asked once from then on", async () => {
    const { host, asked, ownerId } = await openKnowing(true)
    expect((await host.browser.signIn("oidc", { callbackUrl: "/in" })).url.pathname).toBe("/in")
    expect(await ownerId()).toBe("known")
    asked.splice(0)
    await host.newBrowser().signIn("oidc")
    expect(asked).toEqual(["known"])
  })

  it("LINK-07: is asked about the signed-in user before an account is linked", async () => {
    const adapter = memoryAdapter()
    const other = fakeIdentityProvider({ issuer: "https://idp2.test", person: { sub: "1", email: "o@corp.test" } })
    const banned = new Set<string | undefined>()
    const host = openHost({
      adapter,
      session: { strategy },
      network: { [other.origin]: other.handler },
      providers: ({ idp }) => [idp.provider(), other.provider({ id: "other" })],
      callbacks: { signIn: ({ user }) => !banned.has(user.id) },
    })
    await host.browser.signIn("oidc")
    const current = await adapter.getUserByEmail("ada@example.com")
    banned.add(current?.id)
    expect(pathOfPage(await host.browser.signIn("other"))).toBe("/auth/error?error=AccessDenied")
    expect(await adapter.getUserByAccount({ provider: "other", providerAccountId: "1" })).toBeNull()
  })
})
