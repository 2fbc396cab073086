import { signOutEverywhere, trackSessions } from "@latchkey/core/sessions"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { listOf, openTracked } from "../setup/tracked-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const day = { days: 1 } as const

describe("the record of a stored session", () => {
  it("is written with the row in one step, and its id does not reveal the token", async () => {
    const { adapter, signIn } = openTracked("database")
    const browser = await signIn("vera")
    expect(adapter.calls.filter(({ method }) => method === "createSession")).toEqual([])
    const [detail] = await adapter.listSessionsByUserId("u-vera")
    expect(detail).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), provider: "cred", amr: "pwd" })
    const token = detail?.sessionToken ?? ""
    expect(browser.cookies.list().map(({ value }) => value)).toContain(token)
    expect(token).not.toContain(detail?.id)
  })

  it("moves lastSeenAt with updateAge, not with each check", async () => {
    const { adapter, signIn } = openTracked("database")
    const browser = await signIn("vera")
    clock.advance({ hours: 23 })
    await browser.session()
    expect(adapter.calls.some(({ method }) => method === "seeSession")).toBe(false)
    clock.advance(day)
    await browser.session()
    const [detail] = await adapter.listSessionsByUserId("u-vera")
    expect(detail?.lastSeenAt.valueOf()).toBe(clock.now())
    expect(detail?.expires.valueOf()).toBe(clock.now() + 30 * 24 * 60 * 60 * 1000)
  })

  it("is removed with its row, at once at every process", async () => {
    const { adapter, signIn, host } = openTracked("database")
    const browser = await signIn("vera")
    expect(await signOutEverywhere(host.config, "u-vera")).toBe(1)
    expect(await browser.session()).toBeNull()
    expect(await adapter.listSessionsByUserId("u-vera")).toEqual([])
  })

  it("goes on with the row while the store fails to move it, unless whenStoreFails is refuse", async () => {
    for (const whenStoreFails of ["hold", "refuse"] as const) {
      const { host, signIn } = openTracked("database", { whenStoreFails })
      const browser = await signIn("vera")
      Object.assign(host.config.adapter ?? {}, { seeSession: () => Promise.reject(new Error("away")) })
      clock.advance(day)
      expect((await browser.session()) !== null).toBe(whenStoreFails === "hold")
    }
  })
})

describe("stored sessions from before they were tracked", () => {
  async function openMoved(adopt?: boolean | Date) {
    const before = openTracked("database", null)
    const browser = await before.signIn("vera")
    const track = trackSessions(adopt === undefined ? {} : { adopt })
    before.host.config.session = { strategy: "database", track }
    return { ...before, browser }
  }

  it("stay signed in, and get a record when they are extended", async () => {
    const { browser, adapter } = await openMoved()
    expect(await browser.session()).not.toBeNull()
    expect(await adapter.listSessionsByUserId("u-vera")).toEqual([])
    clock.advance(day)
    expect(await browser.session()).not.toBeNull()
    expect(await adapter.listSessionsByUserId("u-vera")).toMatchObject([{ amr: "", provider: "" }])
  })

  it("get a record by their time, where the adapter returns text for dates", async () => {
    const { browser, host, adapter } = await openMoved(new Date(clock.now() + 1000))
    Object.assign(host.config.adapter ?? {}, {
      async getSessionAndUser(token: string) {
        const found = await adapter.getSessionAndUser(token)
        return found && { ...found, session: { ...found.session, expires: found.session.expires.toISOString() } }
      },
    })
    expect(await listOf(browser)).toMatchObject([{ isCurrent: true }])
    expect(await adapter.listSessionsByUserId("u-vera")).toMatchObject([{ expires: expect.any(Date) }])
  })

  it("get a record when their user lists sessions", async () => {
    const { browser } = await openMoved()
    expect(await listOf(browser)).toMatchObject([{ isCurrent: true, provider: null }])
  })

  it.each([null, undefined])(
    "end when they are to be extended with adopt: false, and the adapter finds %s",
    async (none) => {
      const { browser, host } = await openMoved(false)
      Object.assign(host.config.adapter ?? {}, { seeSession: async () => none })
      expect(await listOf(browser)).toEqual([])
      clock.advance(day)
      expect(await browser.session()).toBeNull()
    },
  )

  it("SESS-04: get no record when they end while they are extended", async () => {
    const { browser, adapter, host } = await openMoved()
    const { createSessionDetail } = adapter
    Object.assign(host.config.adapter ?? {}, {
      async createSessionDetail(detail: { sessionToken: string }) {
        await adapter.deleteSession(detail.sessionToken)
        return createSessionDetail(detail as never)
      },
    })
    clock.advance(day)
    expect(await browser.session()).toBeNull()
    expect(await adapter.listSessionsByUserId("u-vera")).toEqual([])
  })

  it("SESS-04: are not listed when they end while they get their record", async () => {
    const { adapter, signIn, host, browser: former } = await openMoved()
    const { createSessionDetail } = adapter
    const other = await signIn("vera")
    const listed: unknown[] = []
    Object.assign(host.config.adapter ?? {}, {
      async createSessionDetail(detail: { sessionToken: string }) {
        await adapter.deleteSession(detail.sessionToken)
        const isCreated = await createSessionDetail(detail as never)
        listed.push(...(await listOf(other)))
        return isCreated
      },
    })
    expect(await listOf(former)).toEqual([])
    expect(listed).toMatchObject([{ isCurrent: true, provider: "cred" }])
  })
})
