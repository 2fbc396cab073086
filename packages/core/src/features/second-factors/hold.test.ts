import { fixedClock } from "@latchkey/testkit"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit/adapter"
import { describe, expect, it } from "vitest"
import { keptCookies } from "../../../test/setup/kept-cookies.js"
import { createFlowId } from "../../checks/replay.js"
import { createSealer } from "../../crypto/seal.js"
import { createStore } from "../../host/store.js"
import { findCookieBudget } from "../../http/limits.js"
import { resolveCookies } from "../../http/own-cookies.js"
import { createLog } from "../../log/log.js"
import type { SignedIn } from "../../session/session.js"
import type { Adapter } from "../../types/adapter.js"
import type { ProvenSignIn } from "../feature.js"
import { createHolds, type NewHold, toKept, toProven } from "./hold.js"

const secret = "a secret of at least thirty-two characters"
const cookieRules = {
  cookies: resolveCookies(undefined, { isSecure: true }),
  isSecure: true,
  cookieBudget: findCookieBudget({ sessionChunks: 3 }),
}
/** Every fact about a sign-in: one that is added does not compile until it stands here. */
const signedIn: Required<SignedIn> = {
  user: { id: "vera", name: "Vera" },
  account: { provider: "idp", providerAccountId: "1", type: "oidc", access_token: "access-token-9f3e" },
  achieved: ["pwd"],
  profile: { sub: "1", name: "Vera", groups: ["a"] },
  isNewUser: true,
  isSignedInAlready: true,
  isAccountAdded: true,
  isUserFromHost: true,
  facts: { "method.changedAt": 7, "method.isTrusted": true, "method.note": "text" },
  moved: { token: "t-1", sid: "s-1", id: "m-1", hasMark: true, startedAt: 7, claims: { sub: "vera" } },
}
const signIn: Required<ProvenSignIn> = {
  signedIn,
  isByCredentials: true,
  url: "https://app.test/private",
  completes: { keys: ["k-1"], url: "https://app.test/in" },
}
const held: NewHold = { userId: "vera", step: "second-factor", endings: ["e-1"], signIn: toKept(signIn) }

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
    expect(await open().take(browser.jar())).toEqual({
      ...held,
      achieved: ["pwd"],
      provider: "idp",
      flow: expect.any(String),
    })
  })

  it("keeps every fact about the sign-in, and reads a stored user again", async () => {
    const { open, browser, keep } = setUp({ adapter: create() })
    await keep()
    const { signIn: kept } = await open().take(browser.jar())
    const stored = { id: "vera", name: "Vera, as stored now" }
    const proven = { ...signIn, signedIn: { ...signedIn, achieved: ["pwd", "otp"] } }
    expect(kept.signedIn.user).toEqual(signedIn.user)
    expect(toProven(kept, signedIn.user, ["otp"])).toEqual(proven)
    const { user } = toKept({ ...signIn, signedIn: { ...signedIn, isUserFromHost: false } }).signedIn
    expect(user).toBeNull()
    expect(toProven(kept, stored, []).signedIn.user).toEqual(stored)
  })

  it("is refused if an earlier version kept it", async () => {
    const { open, browser, keep } = setUp({ adapter: create() })
    const [cookie] = await keep()
    const sealer = createSealer([secret])
    const former = {
      flow: createFlowId(Date.now),
      userId: "vera",
      step: "second-factor",
      achieved: ["pwd"],
      endings: [],
    }
    for (const rest of [{ id: "stored" }, { rest: { account: signedIn.account, url: "https://app.test/" } }]) {
      browser.set(cookie?.name ?? "", await sealer.seal("held:cookie", { ...former, ...rest }, 600))
      expect(await open().find(browser.jar())).toBeNull()
      await expect(open().take(browser.jar())).rejects.toMatchObject({ type: "HeldExpired" })
    }
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
  const large = { ...signedIn.account, access_token: "x".repeat(6000) }
  const withAccount = (account: SignedIn["account"]) => ({
    signIn: toKept({ ...signIn, signedIn: { ...signedIn, account } }),
  })

  it("waits in the store, with a short cookie", async () => {
    const { open, browser, keep } = setUp()
    const [cookie, ...others] = await keep(withAccount(large))
    expect([others.length, (cookie?.value.length ?? 0) < 1000]).toEqual([0, true])
    expect((await open().take(browser.jar())).signIn.signedIn.account).toEqual(large)
  })

  it("waits in several cookies without such a store, and is refused when it does not fit", async () => {
    const { open, browser, keep } = setUp({ adapter: withoutTemporary() })
    expect((await keep(withAccount(large))).length).toBeGreaterThan(1)
    expect((await open().take(browser.jar())).signIn.signedIn.account).toEqual(large)
    await expect(keep(withAccount({ ...large, id_token: "y".repeat(6000) }))).rejects.toMatchObject({
      type: "HeldTooLarge",
      message: expect.stringContaining("keepTemporary"),
    })
  })
})
