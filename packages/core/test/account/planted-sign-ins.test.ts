import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { openElsewhere } from "../setup/mail-setup.js"
import { challengeCookie, notLinked, openPasskeys, strategies } from "../setup/passkey-setup.js"

/** What a sibling domain can plant: a cookie for the whole domain, with a longer path, so that it comes first. */
const planted = { domain: "app.test", path: "/auth" }

describe.each(strategies)("a passkey challenge that a sibling domain plants, with %s sessions", (strategy) => {
  it("LINK-07, WAN-18: registers no passkey for the signed-in user", async () => {
    const { host, adapter, visitor } = openPasskeys({ strategy })
    const [victim, mallory] = [visitor(), visitor()]
    await victim.signInByPassword()
    const created = await mallory.device.create(await mallory.creation({ email: "mallory@evil.test" }))
    victim.browser.cookies.set(challengeCookie, mallory.browser.cookies.get(challengeCookie) ?? "", planted)
    expect((await victim.finish("register", created)).location).toBe(notLinked)
    expect(host.logger.errorTypes()).toEqual(["AccountNotLinked"])
    expect(await adapter.listAuthenticatorsByUserId("u-v")).toEqual([])
  })

  it("CSRF-14, WAN-06: does not sign a visitor in without the CSRF token, which it cannot plant", async () => {
    const { host, visitor } = openPasskeys({ strategy })
    const [victim, mallory] = [visitor(), visitor()]
    await mallory.register("mallory@evil.test")
    const answer = await mallory.device.get(await mallory.request())
    victim.browser.cookies.set(challengeCookie, mallory.browser.cookies.get(challengeCookie) ?? "", planted)
    const body = new URLSearchParams({ action: "authenticate", data: JSON.stringify(answer), csrfToken: "forged" })
    const page = await victim.browser.open("/auth/callback/passkey", {
      method: "POST",
      body,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      from: "https://blog.app.test",
    })
    expect(page.url.searchParams.get("error")).toBe("MissingCSRF")
    expect([await victim.browser.session(), host.logger.errorTypes()]).toEqual([null, ["MissingCSRF"]])
  })
})

describe.each(strategies)("an email link of another person, with %s sessions", (strategy) => {
  it("LINK-07: links nothing to the user who opens it signed in", async () => {
    const adapter = memoryAdapter()
    const host = openHost({
      adapter,
      session: { strategy },
      providers: ({ idp }) => [idp.provider(), testEmail()],
    })
    await host.browser.signIn("oidc")
    const victim = await adapter.getUserByEmail("ada@example.com")
    await host.newBrowser().signIn("email", { email: "mallory@evil.test" })
    await host.browser.open(host.mailbox.lastLink(), { from: "https://evil.test" })
    expect((await host.browser.session())?.user?.email).toBe("ada@example.com")
    await openElsewhere(host.browser, host.mailbox.lastLink())
    const mallory = await adapter.getUserByEmail("mallory@evil.test")
    expect(mallory?.id).not.toBe(victim?.id)
    expect(await adapter.listAccountsByUserId(victim?.id ?? "")).toHaveLength(1)
    expect((await adapter.getUserByEmail("ada@example.com"))?.emailVerified).toBeNull()
  })
})
