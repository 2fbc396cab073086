import { fixedClock } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { keptCookies } from "../../../test/setup/kept-cookies.js"
import { createStore } from "../../host/store.js"
import { findCookieBudget } from "../../http/limits.js"
import { resolveCookies } from "../../http/own-cookies.js"
import { createLog } from "../../log/log.js"
import type { Adapter } from "../../types/adapter.js"
import { createHolds, type HeldSignIn } from "./hold.js"

const secret = "a secret of at least thirty-two characters"
const cookieRules = {
  cookies: resolveCookies(undefined, { isSecure: true }),
  isSecure: true,
  cookieBudget: findCookieBudget({ sessionChunks: 3 }),
}
const held: Omit<HeldSignIn, "flow"> = {
  userId: "vera",
  step: "second-factor",
  achieved: ["pwd"],
  endings: [],
  account: { provider: "idp", providerAccountId: "1", type: "oidc", access_token: "access-token-9f3e" },
  profile: { sub: "1", name: "Vera" },
  isNewUser: false,
  isSignedInAlready: false,
  isByCredentials: false,
  url: "https://app.test/private",
}

function setUp({ adapter = memoryAdapter() }: { readonly adapter?: Adapter | null } = {}) {
  const store = adapter && createStore(adapter, createLog({ error() {}, warn() {}, debug() {} }))
  const open = () => createHolds({ cookieRules, secrets: [secret], store })
  const browser = keptCookies()
  const keep = async (changes: Partial<typeof held> = {}) => {
    const cookies = await open().keep({ ...held, ...changes }, browser.jar())
    browser.keep(cookies)
    return cookies
  }
  return { open, browser, keep }
}

function withoutTemporary(): Adapter {
  const { keepTemporary: _, takeTemporary: __, ...adapter }: MemoryAdapter = memoryAdapter()
  return adapter
}

describe.each([
  ["in the store", memoryAdapter],
  ["in cookies", withoutTemporary],
])("a held sign-in %s", (_, create) => {
  it("FAC-02: is completed once, by one of many", async () => {
    const { open, browser, keep } = setUp({ adapter: create() })
    await keep()
    const takes = await Promise.allSettled(Array.from({ length: 20 }, () => open().take(browser.jar())))
    expect(takes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    await expect(open().take(browser.jar())).rejects.toMatchObject({ type: "HeldExpired" })
  })

  it("FAC-02: is gone after ten minutes", async () => {
    using clock = fixedClock()
    const { open, browser, keep } = setUp({ adapter: create() })
    await keep()
    clock.advance({ minutes: 9 })
    expect(await open().find(browser.jar())).toMatchObject({ userId: "vera" })
    clock.advance({ minutes: 3 })
    expect(await open().find(browser.jar())).toBeNull()
    await expect(open().take(browser.jar())).rejects.toMatchObject({ type: "HeldExpired" })
  })

  it("FAC-02: does not open in another browser, nor when it was changed or sealed with another secret", async () => {
    const { open, browser, keep } = setUp({ adapter: create() })
    const [cookie] = await keep()
    expect(await open().find(keptCookies().jar())).toBeNull()
    const value = browser.get(cookie?.name ?? "") ?? ""
    browser.set(cookie?.name ?? "", `${value.slice(0, -2)}AA`)
    expect(await open().find(browser.jar())).toBeNull()
    browser.set(cookie?.name ?? "", value)
    const foreign = createHolds({ cookieRules, secrets: ["another secret of thirty-two characters"], store: null })
    expect(await foreign.find(browser.jar())).toBeNull()
  })

  it("returns what was kept, with the account's tokens", async () => {
    const { open, browser, keep } = setUp({ adapter: create() })
    await keep()
    expect(await open().find(browser.jar())).toMatchObject({ userId: "vera", step: "second-factor", achieved: ["pwd"] })
    expect(await open().take(browser.jar())).toEqual({ ...held, flow: expect.any(String) })
  })

  it("sets a cookie that no neighboring site can plant and no script can read", async () => {
    const { keep } = setUp({ adapter: create() })
    const [cookie] = await keep()
    expect(cookie).toMatchObject({
      name: "__Host-authjs.held",
      options: { httpOnly: true, sameSite: "lax", path: "/", secure: true },
    })
    expect(cookie?.value).not.toContain("access-token")
  })
})

describe("a held sign-in of an account with large tokens", () => {
  const large = { ...held.account, access_token: "x".repeat(6000) }

  it("waits in the store, with a short cookie", async () => {
    const { open, browser, keep } = setUp()
    const [cookie, ...others] = await keep({ account: large })
    expect([others.length, (cookie?.value.length ?? 0) < 1000]).toEqual([0, true])
    expect((await open().take(browser.jar())).account).toEqual(large)
  })

  it("waits in several cookies without such a store, and is refused when it does not fit", async () => {
    const { open, browser, keep } = setUp({ adapter: withoutTemporary() })
    expect((await keep({ account: large })).length).toBeGreaterThan(1)
    expect((await open().take(browser.jar())).account).toEqual(large)
    await expect(keep({ account: { ...large, id_token: "y".repeat(6000) } })).rejects.toMatchObject({
      type: "HeldTooLarge",
      message: expect.stringContaining("keepTemporary"),
    })
  })
})
