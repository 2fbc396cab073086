import { recoveryCodes, removeFactor, type SecondFactorOptions, totp } from "@latchkey/core/second-factors"
import { signOutEverywhere } from "@latchkey/core/sessions"
import type { Awaitable } from "@latchkey/core/types"
import { authenticatorApp, type Browser, fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import type { MemoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { post } from "../setup/requests.js"
import {
  address,
  begin,
  change,
  give,
  hasSessionCookie,
  listOwn,
  openFactors,
  type Strategy,
  strategies,
} from "../setup/second-factor-setup.js"
import { cookiesOf } from "../setup/tracked-setup.js"

const deviceCookie = "__Host-authjs.device"

/** A user with a second factor, and a browser that is remembered after its user gave a code. */
async function openRemembered(
  strategy: Strategy = "jwt",
  advance: (minutes: number) => void = () => {},
  options: Partial<SecondFactorOptions> = {},
) {
  const hosting = await openFactors({ strategy, secondFactor: { remember: { days: 30 }, ...options } })
  const { browser: owner, app, recoveryCodes: codes } = await hosting.enroll()
  const passkey = (browser: Browser) => passkeyClient({ browser, device: softwareAuthenticator() })
  await passkey(owner).register()
  advance(1)
  const browser = await hosting.signIn()
  await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
  /** Signs in again, and tells whether a code was asked for. */
  async function asksAgain(other: Browser = browser): Promise<boolean> {
    await post(other, "/auth/signout")
    await hosting.signIn(other)
    return !hasSessionCookie(other)
  }
  return { ...hosting, owner, app, codes, passkey, browser, asksAgain }
}

/** A browser with nothing but the cookie of the device. */
function copyDevice(from: Browser, to: Browser): void {
  to.cookies.set(deviceCookie, from.cookies.get(deviceCookie) ?? "", { path: "/" })
}

describe.each(strategies)("a remembered device with %s sessions", (strategy) => {
  it("is not asked again for as many days as the option says", async () => {
    using clock = fixedClock()
    const { asksAgain, browser, host } = await openRemembered(strategy, (minutes) => clock.advance({ minutes }))
    expect(await asksAgain()).toBe(false)
    clock.advance({ days: 29 })
    expect(await asksAgain()).toBe(false)
    expect((await browser.session())?.user?.email).toBe(address)
    clock.advance({ days: 1 })
    expect(await asksAgain()).toBe(true)
    expect(host.leaks()).toEqual([])
  })

  it("FAC-05: does not count as a second factor where one is required", async () => {
    using clock = fixedClock()
    const { asksAgain, browser } = await openRemembered(strategy, (minutes) => clock.advance({ minutes }))
    clock.advance({ minutes: 11 })
    expect(await asksAgain()).toBe(false)
    expect((await change(browser, "begin-totp")).status).toBe(403)
  })

  it("FAC-07: is asked after a factor or a passkey has changed, and after a sign-out everywhere", async () => {
    using clock = fixedClock()
    const open = () => openRemembered(strategy, (minutes) => clock.advance({ minutes }))
    const changes: Readonly<Record<string, (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>>> = {
      "new recovery codes": ({ owner }) => change(owner, "create-recovery-codes"),
      "another authenticator app": async ({ owner }) => {
        const { ticket, secret } = await begin(owner)
        return change(owner, "confirm-totp", { ticket, code: await authenticatorApp(secret).code() })
      },
      "a recovery code was used": async ({ signIn, codes }) => give(await signIn(), codes[0] ?? "", "recovery"),
      "a passkey was added": ({ owner, passkey }) => passkey(owner).register(),
      "the store lost a passkey": async ({ adapter }) => {
        const [passkey] = await adapter.listAuthenticatorsByUserId("u-ada")
        await adapter.deleteAuthenticator(passkey?.credentialID ?? "")
      },
      "the sessions ended": ({ host }) => signOutEverywhere(host.config, "u-ada"),
      "the other sessions ended": ({ owner }) => post(owner, "/auth/account/sessions", { action: "end-others" }),
      "the store lost a factor": async ({ adapter }) => {
        const [row] = (await adapter.listFactors("u-ada")).filter(({ kind }) => kind === "recovery")
        await adapter.deleteFactor(row?.id ?? "")
      },
    }
    for (const [name, run] of Object.entries(changes)) {
      const opened = await open()
      await run(opened)
      expect([name, await opened.asksAgain()]).toEqual([name, true])
    }
  })

  it("FAC-07: is asked after a sign-out everywhere during the sign-in that had it remembered", async () => {
    using clock = fixedClock()
    let end: (() => Promise<unknown>) | undefined
    const { host, enroll, signIn } = await openFactors({
      strategy,
      secondFactor: { remember: { days: 30 } },
      events: { signIn: async () => void (await end?.()) },
    })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    end = () => signOutEverywhere(host.config, "u-ada")
    await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
    end = undefined
    await browser.session()
    await signIn(browser)
    expect(browser.page?.url.pathname).toBe("/auth/second-factor")
  })

  it("FAC-07: is asked after an account at a trusted provider was added or removed, and not for others", async () => {
    using clock = fixedClock()
    const open = (trust: Readonly<Record<string, () => boolean>>) =>
      openRemembered(strategy, (minutes) => clock.advance({ minutes }), { trust })
    const account = { provider: "oidc", providerAccountId: "ada-1815" }
    const another = { ...account, providerAccountId: "ada-1816", type: "oidc" } as const
    const changes: Readonly<Record<string, (adapter: MemoryAdapter) => Awaitable<unknown>>> = {
      added: (adapter) => adapter.linkAccount({ ...another, userId: "u-ada" }),
      removed: (adapter) => adapter.unlinkAccount(account),
    }
    for (const [name, apply] of Object.entries(changes)) {
      const trusting = await open({ oidc: () => true })
      expect({ name, asks: await trusting.asksAgain() }).toEqual({ name, asks: false })
      await apply(trusting.adapter)
      expect({ name, asks: await trusting.asksAgain() }).toEqual({ name, asks: true })
      const other = await open({})
      await apply(other.adapter)
      expect({ name, asks: await other.asksAgain() }).toEqual({ name, asks: false })
    }
  })

  it("FAC-07: is remembered with a trusted provider and an adapter that does not list accounts", async () => {
    using clock = fixedClock()
    const secondFactor = { remember: { days: 30 }, trust: { oidc: () => true } }
    const { enroll, signIn } = await openFactors({ strategy, secondFactor, lacks: ["listAccountsByUserId"] })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
    expect(hasSessionCookie(browser)).toBe(true)
    await post(browser, "/auth/signout")
    await signIn(browser)
    expect(hasSessionCookie(browser)).toBe(true)
  })
})

describe("the cookie of a remembered device", () => {
  it("FAC-07: is worth nothing to another user, under another name, or for another service", async () => {
    using clock = fixedClock()
    const { host, browser, adapter } = await openRemembered("jwt", (minutes) => clock.advance({ minutes }))
    await adapter.createUser({ id: "u-mal", email: "mal@example.com", name: "Mal", emailVerified: null })
    const rows = (await adapter.listFactors("u-ada")).filter(({ kind }) => kind !== "device")
    for (const row of rows) await adapter.createFactor({ ...row, id: `mal-${row.id}`, userId: "u-mal" })
    const other = host.newBrowser()
    copyDevice(browser, other)
    await other.signIn("cred", { name: "mal@example.com" })
    expect(hasSessionCookie(other)).toBe(false)
    const renamed = host.newBrowser()
    for (const name of ["authjs.device", "__Secure-authjs.device", "__Host-authjs.proof", "__Host-authjs.held"])
      renamed.cookies.set(name, browser.cookies.get(deviceCookie) ?? "", { path: "/" })
    await renamed.signIn("cred", { name: address })
    expect(hasSessionCookie(renamed)).toBe(false)
  })

  it("FAC-07: works once, and a copy that comes second ends the device", async () => {
    using clock = fixedClock()
    const { host, browser, asksAgain } = await openRemembered("jwt", (minutes) => clock.advance({ minutes }))
    const thief = host.newBrowser()
    copyDevice(browser, thief)
    const former = browser.cookies.get(deviceCookie)
    expect(await asksAgain()).toBe(false)
    expect(browser.cookies.get(deviceCookie)).not.toBe(former)
    expect(await asksAgain(thief)).toBe(true)
    expect(await asksAgain()).toBe(true)
  })

  it("FAC-07: at most one of two simultaneous sign-ins with one cookie goes on", async () => {
    using clock = fixedClock()
    const { host, browser, signIn } = await openRemembered("jwt", (minutes) => clock.advance({ minutes }))
    const copies = [host.newBrowser(), host.newBrowser(), host.newBrowser()]
    for (const copy of copies) copyDevice(browser, copy)
    await Promise.all(copies.map((copy) => signIn(copy)))
    expect(copies.filter(hasSessionCookie).length).toBeLessThanOrEqual(1)
  })

  it("is set only by the checkbox, and only where the option is on", async () => {
    using clock = fixedClock()
    const { host, app, signIn } = await openRemembered("jwt", (minutes) => clock.advance({ minutes }))
    clock.advance({ minutes: 1 })
    const browser = await signIn()
    const page = await browser.open("/auth/second-factor")
    expect(page.find('input[name="remember"]')?.attribute("type")).toBe("checkbox")
    expect(page.text()).toContain("Do not ask again on this device for 30 days")
    await browser.submit("form", { code: await app.code() })
    expect([hasSessionCookie(browser), browser.cookies.names().includes(deviceCookie)]).toEqual([true, false])
    expect(host.leaks()).toEqual([])
  })

  it("keeps ten devices of a user, and no list shows them as factors", async () => {
    using clock = fixedClock()
    const { host, adapter, app, signIn, owner } = await openRemembered("jwt", (minutes) => clock.advance({ minutes }))
    const browsers: Browser[] = []
    for (let n = 0; n < 10; n++) {
      clock.advance({ minutes: 1 })
      const browser = await signIn()
      await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
      browsers.push(browser)
    }
    expect((await adapter.listFactors("u-ada")).filter(({ kind }) => kind === "device")).toHaveLength(10)
    expect((await listOwn(browsers[0] ?? owner)).map(({ kind }) => kind)).toEqual(["totp", "recovery"])
    const [newest] = browsers.slice(-1)
    const request = new Request("https://app.test/", { headers: { cookie: cookiesOf(newest ?? owner) } })
    const [factor] = await listOwn(newest ?? owner)
    expect(await removeFactor(request, host.config, factor?.id ?? "")).toBe(true)
    const rows = await adapter.listFactors("u-ada")
    expect(rows.map(({ kind }) => kind)).toEqual(["ending"])
    expect(host.events.of("factorRemoved").map(({ kind }) => kind)).toEqual(["totp", "recovery"])
  })
})

it("asks as before without the option", async () => {
  using clock = fixedClock()
  const { enroll, signIn } = await openFactors({ secondFactor: { factors: [totp(), recoveryCodes()] } })
  const { app } = await enroll()
  clock.advance({ minutes: 1 })
  const browser = await signIn()
  expect((await browser.open("/auth/second-factor")).find('input[name="remember"]')).toBeNull()
  await post(browser, "/auth/second-factor/totp", { code: await app.code(), remember: "true" })
  expect([hasSessionCookie(browser), browser.cookies.names().includes(deviceCookie)]).toEqual([true, false])
})

it("lets an app end the sessions of a user whom the store does not have", async () => {
  const { host, adapter } = await openFactors()
  expect(await signOutEverywhere(host.config, "u-nobody")).toBe(0)
  expect(await adapter.listFactors("u-nobody")).toEqual([])
})
