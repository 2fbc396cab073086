import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { begin as beginApp, clients } from "../setup/native-setup.js"
import { post, postForm } from "../setup/requests.js"
import {
  address,
  begin,
  change,
  type FactorHost,
  hasSessionCookie,
  listOwn,
  openFactors,
  strategies,
} from "../setup/second-factor-setup.js"

const json = { accept: "application/json" }

/** A host that demands second factors of all, and Ada with a passkey alone, as if from the time before that rule. */
async function openWithPasskey(options: Parameters<typeof openFactors>[0] = {}) {
  const { secondFactor, ...others } = options
  const hosting = await openFactors({ ...others, secondFactor: { require: "always", ...secondFactor } })
  const { host } = hosting
  const owner = host.newBrowser()
  await setUpHere(owner, await owner.signIn("cred", { name: address }))
  const device = softwareAuthenticator()
  await passkeyClient({ browser: owner, device }).register()
  await forgetFactors(hosting)
  return { ...hosting, owner, device }
}

async function forgetFactors({ adapter }: Pick<FactorHost, "adapter">): Promise<void> {
  for (const { id } of await adapter.listFactors("u-ada")) await adapter.deleteFactor(id)
}

/** Sets up an app on the page that the browser shows. */
async function setUpHere(browser: Browser, page: { find(selector: string): { readonly text: string } | null }) {
  await browser.submit("form", { code: await authenticatorApp(page.find("code")?.text ?? "").code() })
}

/** The ways in that prove one factor, which a thief may have. */
const ways: Readonly<Record<string, (browser: Browser, hosting: FactorHost) => Promise<unknown>>> = {
  "an account at a provider": (browser) => browser.signIn("oidc"),
  "an account at an OAuth provider": (browser) => browser.signIn("oauth"),
  async "a mailed link"(browser, { host }) {
    await browser.signIn("email", { email: address })
    await browser.open(host.mailbox.lastLink())
  },
  async "a mailed code"(browser, { host }) {
    await browser.signIn("email", { email: address })
    await post(browser, "/auth/callback/email", { code: host.mailbox.lastCode() })
  },
  "a password": (browser) => browser.signIn("cred", { name: address }),
}

describe.each(strategies)("a user who must have two factors and has a passkey, with %s sessions", (strategy) => {
  it.each(Object.entries(ways))("FAC-11: is asked for it after %s, and sets nothing up before", async (_, signIn) => {
    using _clock = fixedClock()
    const hosting = await openWithPasskey({ strategy })
    const { host, adapter, device } = hosting
    const thief = host.newBrowser()
    await signIn(thief, hosting)
    const page = await thief.open("/auth/second-factor")
    expect([page.find("h1")?.text, page.find("code"), page.find("input[name=code]")]).toEqual([
      "Use your passkey",
      null,
      null,
    ])
    const waits = await thief.fetch("/auth/second-factor", { headers: json })
    expect(await waits.json()).toMatchObject({ step: "second-factor", kinds: ["passkey"] })
    const answer = await post(thief, "/auth/second-factor/enroll", { ticket: "x", code: "123456" })
    expect(answer.location).toBe("https://app.test/auth/signin?error=SessionRequired")
    expect([hasSessionCookie(thief), await adapter.listFactors("u-ada")]).toEqual([false, []])
    await passkeyClient({ browser: thief, device }).signIn({ flags: { uv: false } })
    expect((await thief.session())?.user?.email).toBe(address)
    expect(host.leaks()).toEqual([])
  })

  it("FAC-11: proves it before a setup goes on that began when there was none", async () => {
    using _clock = fixedClock()
    const hosting = await openFactors({ strategy, secondFactor: { require: "always" } })
    const { host, adapter, signIn } = hosting
    const thief = await signIn()
    const secret = thief.page?.find("code")?.text ?? ""
    const owner = host.newBrowser()
    await setUpHere(owner, await owner.signIn("cred", { name: address }))
    await passkeyClient({ browser: owner, device: softwareAuthenticator() }).register()
    await forgetFactors(hosting)
    await thief.submit("form", { code: await authenticatorApp(secret).code() })
    expect([hasSessionCookie(thief), await adapter.listFactors("u-ada")]).toEqual([false, []])
    const page = await thief.open("/auth/second-factor")
    expect(page.find("code")).toBeNull()
  })

  it("FAC-11: proves it in a session from before the rule, too", async () => {
    using _clock = fixedClock()
    let isDemanded = true
    const { host, adapter, device } = await openWithPasskey({ strategy, secondFactor: { require: () => isDemanded } })
    isDemanded = false
    const thief = host.newBrowser()
    await thief.signIn("oidc")
    const { ticket, secret } = await begin(thief)
    isDemanded = true
    const code = await authenticatorApp(secret).code()
    expect((await change(thief, "begin-totp")).status).toBe(403)
    for (const path of ["/auth/confirm/enroll?factors=2", "/auth/account/factors"]) {
      await post(thief, path, { action: "confirm-totp", ticket, code })
    }
    expect(await adapter.listFactors("u-ada")).toEqual([])
    const page = await thief.open("/auth/confirm?factors=2")
    expect([page.find("code"), page.find("form[data-passkey]") === null]).toEqual([null, false])
    await passkeyClient({ browser: thief, device }).signIn()
    expect((await change(thief, "confirm-totp", { ticket, code })).status).toBe(200)
  })

  it("FAC-11: keeps the last passkey in the account area", async () => {
    using _clock = fixedClock()
    const { adapter, host, device } = await openWithPasskey({ strategy, accountArea: accountArea() })
    const owner = host.newBrowser()
    await passkeyClient({ browser: owner, device }).signIn()
    const [passkey] = await adapter.listAuthenticatorsByUserId("u-ada")
    const answer = await postForm(owner, "/auth/account/passkeys", {
      action: "remove",
      id: passkey?.credentialID ?? "",
    })
    expect(answer.status).toBe(400)
    expect(await adapter.listAuthenticatorsByUserId("u-ada")).toHaveLength(1)
  })

  it("FAC-11: is not locked out by a passkey that cannot sign in, since it was stored without its account", async () => {
    using _clock = fixedClock()
    const { adapter, signIn } = await openWithPasskey({ strategy })
    for (const { providerAccountId } of await adapter.listAuthenticatorsByUserId("u-ada")) {
      await adapter.unlinkAccount({ provider: "passkey", providerAccountId })
    }
    const browser = await signIn()
    expect(browser.page?.find("h1")?.text).toBe("Set up two-step verification")
  })
})

describe("a user who must have two factors", () => {
  it("sets one up in a session from before the rule, if they have nothing else", async () => {
    using _clock = fixedClock()
    let isDemanded = false
    const { signIn } = await openFactors({ secondFactor: { require: () => isDemanded } })
    const browser = await signIn()
    isDemanded = true
    const page = await browser.open("/auth/confirm?factors=2")
    await setUpHere(browser, page)
    expect((await listOwn(browser)).map(({ kind }) => kind)).toEqual(["totp", "recovery"])
  })

  it("FAC-11: uses the account whose second factor counts, before another way sets anything up", async () => {
    using _clock = fixedClock()
    const trust = { oidc: ({ amr }: Readonly<Record<string, unknown>>) => Array.isArray(amr) && amr.includes("mfa") }
    const { host, adapter } = await openFactors({ secondFactor: { require: "always", trust } })
    const person = { sub: "ada-1815", email: address, email_verified: true }
    const thief = host.newBrowser()
    const page = await thief.signIn("oauth")
    expect([page.find("h1")?.text, page.find("code")]).toEqual(["Confirm it’s you", null])
    const waits = await thief.fetch("/auth/second-factor", { headers: json })
    expect(await waits.json()).toEqual({ step: "second-factor", kinds: [], providers: ["oidc"] })
    await post(thief, "/auth/second-factor/enroll", { ticket: "x", code: "123456" })
    expect([hasSessionCookie(thief), await adapter.listFactors("u-ada")]).toEqual([false, []])
    host.idp.signInAs({ ...person, amr: ["pwd", "mfa"] })
    await thief.submit("form", {})
    expect((await thief.session())?.user?.email).toBe(address)
    // With the account alone, a factor is set up: the provider asked for none.
    host.idp.signInAs({ ...person, amr: ["pwd"] })
    const other = host.newBrowser()
    expect((await other.signIn("oidc")).find("h1")?.text).toBe("Set up two-step verification")
  })

  it("FAC-11: adds another way in to a key that did not verify its owner, and sets up nothing with it alone", async () => {
    using _clock = fixedClock()
    const { host, adapter, device } = await openWithPasskey()
    const browser = host.newBrowser()
    await passkeyClient({ browser, device }).signIn({ flags: { uv: false } })
    const page = await browser.open("/auth/second-factor")
    expect([page.find("h1")?.text, page.find("code")]).toEqual(["Confirm it’s you", null])
    await post(browser, "/auth/second-factor/enroll", { ticket: "x", code: "123456" })
    expect([hasSessionCookie(browser), await adapter.listFactors("u-ada")]).toEqual([false, []])
    await browser.signIn("email", { email: address })
    await browser.open(host.mailbox.lastLink())
    expect((await browser.session())?.user?.email).toBe(address)
    expect((await adapter.listSessionsByUserId("u-ada")).map(({ amr }) => amr)).toContain("swk email")
  })

  it("FAC-11: proves a passkey before a native app gets its code", async () => {
    using _clock = fixedClock()
    const { host, device } = await openWithPasskey({ nativeApps: nativeApps({ clients }) })
    const browser = host.newBrowser()
    await browser.open(beginApp().path)
    const page = await browser.signIn("oidc")
    expect(page.find("h1")?.text).toBe("Use your passkey")
    expect((await browser.open(beginApp().path)).url.pathname).toBe("/auth/signin")
    await passkeyClient({ browser, device }).signIn()
    expect((await browser.open(beginApp().path)).url.pathname).toBe("/auth/native")
  })
})
