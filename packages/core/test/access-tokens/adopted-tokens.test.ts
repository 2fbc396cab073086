import { runInNewContext } from "node:vm"
import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openPasskeys } from "../setup/passkey-setup.js"
import { ask } from "../setup/requests.js"
import { cookiesOf, endOthers, listOf, openTracked, readSession } from "../setup/tracked-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

describe("tokens from before they were tracked", () => {
  /** A browser that signed in before the option was set, and the service with the option. */
  async function openMoved(adopt?: boolean | Date) {
    const before = openTracked("jwt", null)
    const browser = await before.signIn("vera")
    const track = trackSessions({ checkEvery: 60, ...(adopt !== undefined && { adopt }) })
    before.host.config.session = { strategy: "jwt", track }
    return { ...before, browser }
  }

  it("stay signed in, and get one record at their next use", async () => {
    const { browser, adapter } = await openMoved()
    const cookie = cookiesOf(browser)
    expect(await browser.session()).toMatchObject({ user: { name: "vera" } })
    const [detail, ...others] = await adapter.listSessionsByUserId("u-vera")
    expect([others, detail]).toMatchObject([[], { amr: "", provider: "", sessionToken: null }])
    expect(await listOf(browser)).toMatchObject([{ id: detail?.id, provider: null, isCurrent: true }])
    expect(cookie).not.toBe(cookiesOf(browser))
  })

  it("get one record from parallel requests, and are ended like any other", async () => {
    const { browser, adapter, host } = await openMoved()
    const cookie = cookiesOf(browser)
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(host, "/auth/session", { cookie })))
    expect(answers.map(({ text }) => text === "null")).toEqual([false, false, false, false, false])
    expect(await adapter.listSessionsByUserId("u-vera")).toHaveLength(1)
    await browser.session()
    await signOutEverywhere(host.config, "u-vera")
    clock.advance({ seconds: 60 })
    expect(await browser.session()).toBeNull()
  })

  it("SESS-01: are refused once their session was ended, although their copies have no id", async () => {
    const tracked = await openMoved()
    const copy = cookiesOf(tracked.browser)
    await tracked.browser.session()
    await signOutEverywhere(tracked.host.config, "u-vera")
    clock.advance({ seconds: 60 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => readSession(tracked, copy)))
    expect(answers).toEqual(Array(5).fill("null"))
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toEqual([])
  })

  it("SESS-01: are refused once their session was ended, where only the user is looked up", async () => {
    const { host, visitor } = openPasskeys({ session: { strategy: "jwt" } })
    const thief = visitor()
    await thief.signInByPassword()
    host.config.session = { strategy: "jwt", track: trackSessions() }
    expect((await thief.ask({ action: "register" })).status).toBe(200)
    expect(await signOutEverywhere(host.config, "u-v")).toBe(1)
    expect((await thief.ask({ action: "register" })).status).toBe(400)
  })

  it("SESS-01: link no account once they were ended, also a copy of the token from before", async () => {
    const { browser, adapter, host } = await openMoved()
    const thief = host.newBrowser()
    for (const { name, value } of browser.cookies.list()) thief.cookies.set(name, value, { path: "/" })
    await browser.session()
    await signOutEverywhere(host.config, "u-vera")
    await thief.signIn("oidc")
    const linked = await adapter.getUserByAccount({ provider: "oidc", providerAccountId: "ada-1815" })
    expect(linked?.id).not.toBe("u-vera")
  })

  it("end with their record at a sign-out, also if the browser never got the new token", async () => {
    const tracked = await openMoved()
    const copy = cookiesOf(tracked.browser)
    await readSession(tracked, copy)
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toHaveLength(1)
    await tracked.browser.signOut()
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toEqual([])
    expect(await readSession(tracked, copy)).toBe("null")
  })

  it("are refused with adopt: false", async () => {
    const { browser } = await openMoved(false)
    expect(await browser.session()).toBeNull()
  })

  it.each<[string, (time: number) => Date]>([
    ["this realm", (time) => new Date(time)],
    ["another realm", (time) => runInNewContext(`new Date(${time})`)],
  ])("SESS-09: go on if they were issued before the date of adopt, a date of %s", async (_, adopt) => {
    const dated = await openMoved(adopt(clock.now() + 60_000))
    expect(await dated.browser.session()).not.toBeNull()
    const late = await openMoved(adopt(clock.now()))
    expect(await late.browser.session()).toBeNull()
  })

  it("do not count as a recent sign-in of their user", async () => {
    const { browser, signIn } = await openMoved()
    await browser.session()
    await signIn("vera")
    expect((await endOthers(browser)).status).toBe(403)
    expect(await listOf(browser)).toHaveLength(2)
  })
})
