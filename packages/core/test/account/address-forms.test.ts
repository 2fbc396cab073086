import { fakeIdentityProvider, type MemoryAdapter, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openPasswords, password, signIn } from "../setup/password-setup.js"
import { passwordProvider } from "../setup/sign-ins.js"

/** Two people at two providers, of whom the second may be linked by address. */
function openTwo(first: string, second: string, isLinking = true) {
  const adapter = memoryAdapter()
  const other = fakeIdentityProvider({
    issuer: "https://idp2.test",
    person: { sub: "2", name: "Second", email: second, email_verified: true },
  })
  const host = openHost({
    adapter,
    session: { strategy: "database" },
    network: { [other.origin]: other.handler },
    providers: ({ idp }) => [
      idp.provider(),
      other.provider({ id: "other", allowDangerousEmailAccountLinking: isLinking }),
    ],
  })
  host.idp.signInAs({ sub: "1", name: "First", email: first, email_verified: true })
  const signInBoth = async () => {
    await host.browser.signIn("oidc")
    const browser = host.newBrowser()
    await browser.signIn("other")
    return browser
  }
  const userOf = (provider: string, providerAccountId: string) =>
    adapter.getUserByAccount({ provider, providerAccountId })
  return { adapter, host, signInBoth, userOf }
}

const store = (adapter: MemoryAdapter, id: string, email: string) =>
  adapter.createUser({ id, email, emailVerified: new Date() })

describe("the address of a profile", () => {
  it.each(["", "   ", "\t"])(
    "LINK-12: is none if it is blank (%j), so that two people stay two users",
    async (blank) => {
      const { host, signInBoth, userOf } = openTwo(blank, blank)
      const browser = await signInBoth()
      const [first, second] = [await userOf("oidc", "1"), await userOf("other", "2")]
      expect([first?.email, second?.email]).toEqual([null, null])
      expect(first?.id).not.toBe(second?.id)
      expect((await host.browser.session())?.user?.name).toBe("First")
      expect((await browser.session())?.user?.name).toBe("Second")
    },
  )

  it.each([
    ["ada@example.com", " Ada@example.com "],
    ["ada@xn--bcher-kva.example", "ada@b\u00fccher.example"],
    ["ada@B\u00dcCHER.example", "ada@xn--bcher-kva.example"],
  ])("LINK-12: has one form: %j and %j are one user's", async (first, second) => {
    const { signInBoth, userOf } = openTwo(first, second)
    await signInBoth()
    const [one, two] = [await userOf("oidc", "1"), await userOf("other", "2")]
    expect(one?.id).toBe(two?.id)
    expect(one?.email).toMatch(/^ada@[a-z.-]+$/)
  })

  it("LINK-12: does not make a second user where linking is off", async () => {
    const { signInBoth, userOf } = openTwo("ada@b\u00fccher.example", " ada@xn--bcher-kva.example", false)
    const browser = await signInBoth()
    expect(browser.page?.url.search).toContain("error=OAuthAccountNotLinked")
    expect(await userOf("other", "2")).toBeNull()
  })

  it("LINK-12: finds a row that is stored in another form, which stays as it is", async () => {
    const { adapter, host, userOf } = openTwo("ada@example.com", "ada@b\u00fccher.example")
    await store(adapter, "u-old", "ada@b\u00fccher.example")
    await host.newBrowser().signIn("other")
    expect(await userOf("other", "2")).toMatchObject({ id: "u-old", email: "ada@b\u00fccher.example" })
  })

  it("LINK-12: is refused if two users have it, each in another form", async () => {
    const { adapter, host, userOf } = openTwo("ada@example.com", "ada@b\u00fccher.example")
    await store(adapter, "u-old", "ada@b\u00fccher.example")
    await store(adapter, "u-new", "ada@xn--bcher-kva.example")
    const browser = host.newBrowser()
    await browser.signIn("other")
    expect(browser.page?.url.search).toContain("error=OAuthAccountNotLinked")
    expect(await userOf("other", "2")).toBeNull()
  })
})

describe("the address of a user whom the app's authorize returns", () => {
  it.each([
    ["  ", undefined],
    ["Ada@Example.com", "Ada@Example.com"],
  ])("LINK-12: is none if it is blank, and stays otherwise: %j", async (email, shown) => {
    const provider = passwordProvider({ authorize: () => ({ id: "u-1", name: "Ada", email }) })
    const host = openHost({ providers: [provider], session: { strategy: "jwt" } })
    await host.browser.signIn("cred", { u: "ada", p: "right" })
    expect((await host.browser.session())?.user?.email ?? undefined).toBe(shown)
  })
})

describe("the address that is typed to sign in by password", () => {
  it("LINK-12: finds a row that is stored as it is typed", async () => {
    const { host, adapter, signUp } = openPasswords()
    await signUp()
    const { id = "" } = (await adapter.getUserByEmail("ada@example.com")) ?? {}
    await adapter.updateUser({ id, email: "Ada@Example.com" })
    const browser = host.newBrowser()
    await signIn(browser, password, "Ada@Example.com")
    expect((await browser.session())?.user?.email).toBe("Ada@Example.com")
  })

  it("LINK-12: signs no one in if two users have it, each in another form", async () => {
    const { host, adapter, signUp } = openPasswords()
    await signUp()
    await store(adapter, "u-other", "Ada@Example.com")
    const browser = host.newBrowser()
    await signIn(browser, password, "Ada@Example.com")
    expect(await browser.session()).toBeNull()
    await signIn(browser, password, "ada@example.com")
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
  })
})
