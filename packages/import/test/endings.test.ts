import { signOutEverywhere } from "@latchkey/core/sessions"
import { fixedClock, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { day } from "./setup/fixtures.js"
import {
  ask,
  kinds,
  type MovingOptions,
  openMoving,
  ownCookie,
  plant,
  sessionOf,
  storedKinds,
} from "./setup/moving-setup.js"
import { luciaMade, nextAuth } from "./setup/sources.js"

const made = [
  ["next-auth 4", nextAuth],
  ["Lucia", luciaMade],
] as const

describe.each(made)("MIG-01: a cookie of %s that was taken over", (_name, { header, source, userId, cookies }) => {
  it.each(kinds)("is nobody's after the sign-out here, with our sessions of kind %s", async (kind) => {
    using _ = fixedClock(day)
    const { host } = await openMoving(kind, { accept: [source()], userId })
    const browser = plant(host.newBrowser(), cookies)
    expect((await browser.session())?.user?.email ?? null).toBe(
      kind === "none" && userId === luciaMade.userId ? null : "ada@example.com",
    )
    await browser.signOut()
    const after = await sessionOf(host, header)
    expect(after.email).toBeNull()
    expect(ownCookie(after.set)).toBe("")
  })

  it.each(storedKinds)("is nobody's in another process, and after a restart (%s)", async (kind) => {
    using _ = fixedClock(day)
    const adapter = memoryAdapter()
    const secret = "the secret that all processes have, 0123456789"
    const options: MovingOptions = { accept: [source()], userId, adapter, secret }
    const first = await openMoving(kind, options)
    const browser = plant(first.host.newBrowser(), cookies)
    await browser.session()
    await browser.signOut()
    const second = await openMoving(kind, options)
    expect((await sessionOf(second.host, header)).email).toBeNull()
    const rotated = await openMoving(kind, {
      ...options,
      secret: ["a newer secret of the app, 0123456789-abcdef", secret],
    })
    expect((await sessionOf(rotated.host, header)).email).toBeNull()
  })

  it.each(["tracked jwt", "tracked database"] as const)(
    "is nobody's after its session was ended from another device (%s)",
    async (kind) => {
      using _ = fixedClock(day)
      const { host, adapter } = await openMoving(kind, { accept: [source()], userId })
      const { set } = await sessionOf(host, header)
      const [detail] = await adapter.listSessionsByUserId(userId)
      await adapter.endSessions({ userId, id: detail?.id ?? "" })
      expect((await sessionOf(host, ownCookie(set))).email).toBeNull()
      expect((await sessionOf(host, header)).email).toBeNull()
      expect((await sessionOf(host, header)).email).toBeNull()
    },
  )

  it.each(["tracked jwt", "tracked database"] as const)(
    "is nobody's after `signOutEverywhere`, even if it was not taken over before (%s)",
    async (kind) => {
      using _ = fixedClock(day)
      const { host } = await openMoving(kind, { accept: [source()], userId })
      await signOutEverywhere(host.config, userId)
      expect((await sessionOf(host, header)).email).toBeNull()
    },
  )

  it.each(storedKinds)("is nobody's after the user was deleted (%s)", async (kind) => {
    using _ = fixedClock(day)
    const { host, adapter } = await openMoving(kind, { accept: [source()], userId })
    await sessionOf(host, header)
    await adapter.deleteUser(userId)
    expect((await sessionOf(host, header)).email).toBeNull()
    expect(host.logger.warnings.map((warning) => String(warning))).toContain("accept-user-unknown")
  })

  it.each(storedKinds)("leads to the same session while that lives, and to nobody later (%s)", async (kind) => {
    using clock = fixedClock(day)
    const { host, adapter } = await openMoving(kind, { accept: [source()], userId })
    const { set } = await sessionOf(host, header)
    clock.advance({ hours: 1 })
    const again = await sessionOf(host, header)
    expect(again.email).toBe("ada@example.com")
    if (kind.endsWith("database")) expect(ownCookie(again.set)).toBe(ownCookie(set))
    if (kind.startsWith("tracked")) expect(await adapter.listSessionsByUserId(userId)).toHaveLength(1)
  })

  it("ADP-11: leads to the same session with an adapter that returns text for dates", async () => {
    using clock = fixedClock(day)
    const memory = memoryAdapter()
    const listSessionsByUserId = async (id: string) =>
      // as never: not of the type, as with some drivers.
      (await memory.listSessionsByUserId(id)).map((row) => JSON.parse(JSON.stringify(row)) as never)
    const adapter = { ...memory, listSessionsByUserId }
    const { host } = await openMoving("tracked jwt", { accept: [source()], userId, adapter })
    await sessionOf(host, header)
    clock.advance({ hours: 1 })
    const again = await sessionOf(host, header)
    const { email } = await sessionOf(host, ownCookie(again.set))
    expect([again.email, email]).toEqual(["ada@example.com", "ada@example.com"])
  })

  it("is remembered by this process alone without the methods for it, which is warned of", async () => {
    using _ = fixedClock(day)
    const lacks = ["consumeOnce", "takeLease", "dropLease"] as const
    const { host } = await openMoving("jwt", { accept: [source()], userId, lacks })
    const browser = plant(host.newBrowser(), cookies)
    await browser.session()
    expect(host.logger.warnings.map((warning) => String(warning))).toContain("accept-memory")
    await browser.signOut()
    expect((await sessionOf(host, header)).email).toBeNull()
  })

  it.each(storedKinds)("is spent by an ordinary sign-in, which clears it (%s)", async (kind) => {
    using _ = fixedClock(day)
    const { host } = await openMoving(kind, { accept: [source()], userId })
    const browser = host.newBrowser()
    const csrfToken = await browser.csrfToken()
    plant(browser, cookies)
    const body = new URLSearchParams({ csrfToken, name: "ada" })
    const answer = await browser.fetch("/auth/callback/cred", { method: "POST", body })
    expect(answer.status).toBe(302)
    expect(browser.cookies.names()).not.toContain(cookies[0]?.name)
    await browser.signOut()
    expect((await sessionOf(host, header)).email).toBeNull()
  })
})

describe("MIG-01: a sign-out with nothing but a cookie of another library", () => {
  it("ends that session", async () => {
    using _ = fixedClock(day)
    const { host } = await openMoving("jwt", { accept: [nextAuth.source()], userId: nextAuth.userId })
    const browser = host.newBrowser()
    const csrfToken = await browser.csrfToken()
    plant(browser, nextAuth.cookies)
    await browser.fetch("/auth/signout", { method: "POST", body: new URLSearchParams({ csrfToken }) })
    expect(await browser.session()).toBeNull()
    expect((await sessionOf(host, nextAuth.header)).email).toBeNull()
    expect((await ask(host, "/auth/session", nextAuth.header)).status).toBe(200)
  })
})
