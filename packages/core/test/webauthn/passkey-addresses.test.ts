import Passkey from "@latchkey/core/providers/passkey"
import { memoryAdapter, passkeyClient, softwareAuthenticator, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { strategies } from "../setup/passkey-setup.js"
import { pathOfPage } from "../setup/sign-ins.js"

/** Eve signed up with a passkey and Ada's address. Ada has the mailbox and an account at the provider. */
async function openSquatted(strategy: (typeof strategies)[number]) {
  const adapter = memoryAdapter()
  const host = openHost({
    adapter,
    session: { strategy },
    providers: ({ idp }) => [idp.provider({ allowDangerousEmailAccountLinking: true }), testEmail(), Passkey()],
  })
  const eve = host.newBrowser()
  const client = passkeyClient({ browser: eve, device: softwareAuthenticator() })
  await client.register("ada@example.com")
  expect((await eve.session())?.user?.email).toBe("ada@example.com")
  const squatted = await adapter.getUserByEmail("ada@example.com")
  return { host, adapter, eve, client, squatted }
}

describe.each(strategies)("the address of an account that was created with a passkey, with %s sessions", (strategy) => {
  it("MAIL-18: does not open the account to the owner of the mailbox", async () => {
    const { host, adapter, squatted } = await openSquatted(strategy)
    await host.browser.signIn("email", { email: "ada@example.com" })
    const page = await host.browser.open(host.mailbox.lastLink())
    expect(pathOfPage(page)).toBe("/auth/signin?error=AccountNotLinked")
    expect(await host.browser.session()).toBeNull()
    expect(await adapter.getUserByEmail("ada@example.com")).toEqual(squatted)
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
  })

  it("LINK-04: is not linked to an account of a trusted provider", async () => {
    const { host, adapter } = await openSquatted(strategy)
    const page = await host.browser.signIn("oidc")
    expect(pathOfPage(page)).toBe("/auth/signin?error=OAuthAccountNotLinked")
    expect(await host.browser.session()).toBeNull()
    expect(adapter.calls.filter(({ method }) => method === "linkAccount")).toHaveLength(1)
  })

  it("is verified by a user with both the passkey and the mailbox, and opens the account from then on", async () => {
    const { host, adapter, eve, client } = await openSquatted(strategy)
    await eve.signIn("email", { email: "ada@example.com" })
    expect((await eve.open(host.mailbox.lastLink())).url.pathname).not.toContain("error")
    expect((await adapter.getUserByEmail("ada@example.com"))?.emailVerified).toBeInstanceOf(Date)
    await host.browser.signIn("email", { email: "ada@example.com" })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe("ada@example.com")
    await eve.signOut()
    expect((await client.signIn()).headers.get("location")).toBe("https://app.test/in")
    expect(host.logger.errors).toEqual([])
  })

  it("does not block accounts without a passkey", async () => {
    const { host, adapter } = await openSquatted(strategy)
    await adapter.createUser({ id: "u", email: "walt@corp.test", emailVerified: null })
    await host.browser.signIn("email", { email: "walt@corp.test" })
    await host.browser.open(host.mailbox.lastLink())
    expect((await host.browser.session())?.user?.email).toBe("walt@corp.test")
  })
})

describe("a store without authenticators", () => {
  it("is not called without a passkey provider", async () => {
    const { listAuthenticatorsByUserId: _, calls: __, ...adapter } = memoryAdapter()
    const host = openHost({ adapter, providers: [testEmail()] })
    await adapter.createUser({ id: "u", email: "walt@corp.test", emailVerified: null })
    await host.browser.signIn("email", { email: "walt@corp.test" })
    await host.browser.open(host.mailbox.lastLink())
    expect(await host.browser.session()).not.toBeNull()
  })
})
