import { fixedClock } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { authkitNextjs } from "../src/authkit-nextjs.js"
import { betterAuth } from "../src/better-auth.js"
import { reader } from "../src/reader.js"
import { day, type FixtureCookie, readFixture, toHeader, until } from "./setup/fixtures.js"
import { openMoving, plant, sessionOf, storedKinds } from "./setup/moving-setup.js"

const rows = new Map([["s-1", { subject: "user-1", email: "ada@example.com", expires: new Date("2026-12-01") }]])

describe.each([...storedKinds, "none"] as const)("a reader of an app's own, with our sessions of kind %s", (kind) => {
  it("takes its sessions over, and ends them with the sign-out here", async () => {
    using _ = fixedClock(day)
    const ended: string[] = []
    const read = async (value: string) => rows.get(value)
    const end = (key: string) => void ended.push(key)
    const { host } = await openMoving(kind, { accept: [reader({ cookie: "sid", until, read, end })] })
    const browser = plant(host.newBrowser(), [{ name: "sid", value: "s-1" }])
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
    expect(browser.cookies.get("sid")).toBeUndefined()
    await browser.signOut()
    expect(ended).toEqual(["s-1"])
    expect((await sessionOf(host, "sid=s-1")).email).toBeNull()
    expect((await sessionOf(host, "sid=s-2")).email).toBeNull()
  })
})

describe("a value that was no session", () => {
  it("becomes one within a minute after its visitor has signed in at the former app", async () => {
    using clock = fixedClock(day)
    const budgets = { moves: { limit: 1, windowSeconds: 3600 } }
    let isSignedIn = false
    const read = () => (isSignedIn ? { subject: "user-1" } : null)
    const accept = [reader({ cookie: "sid", until, read })]
    const { host } = await openMoving("database", { accept, rateLimit: { budgets } })
    const browser = plant(host.newBrowser({ clientAddress: "192.0.2.1" }), [{ name: "sid", value: "later-signed-in" }])
    for (let n = 0; n < 3; n++) {
      expect(await browser.session()).toBeNull()
      clock.advance({ minutes: 2 })
    }
    isSignedIn = true
    expect((await browser.session())?.user?.email).toBe("ada@example.com")
  })
})

describe("a row of an app's own whose driver returns no dates", () => {
  const read = (row: object) => (value: string) => (value === "s-1" ? { subject: "user-1", ...row } : null)

  it.each([
    ["text in UTC", "2026-11-01 00:00:00"],
    ["seconds", Date.UTC(2026, 10, 1) / 1000],
    ["milliseconds", Date.UTC(2026, 10, 1)],
    ["null", null],
    ["text that is no date", "soon"],
  ])("is over after its expiry: %s", async (_, expires) => {
    using clock = fixedClock(new Date("2026-11-01T00:00:01Z"))
    const accept = [reader({ cookie: "sid", until, read: read({ expires }) as never })]
    const { host } = await openMoving("database", { accept })
    expect((await sessionOf(host, "sid=s-1")).email).toBeNull()
    expect(host.logger.errors).toEqual([])
    expect(clock.now()).toBeLessThan(until.valueOf())
  })

  it("is over after the absolute lifetime, also if its start is text", async () => {
    using _ = fixedClock(new Date("2026-11-03T00:00:01Z"))
    const open = async (startedAt: string) => {
      const accept = [reader({ cookie: "sid", until, read: read({ startedAt }) as never })]
      const { host } = await openMoving("database", { accept, session: { absoluteMaxAge: 24 * 3600 } })
      return (await sessionOf(host, "sid=s-1")).email
    }
    expect(await open("2026-11-02 00:00:00")).toBeNull()
    expect(await open("2026-11-02 00:01:00")).toBe("ada@example.com")
  })
})

describe("MIG-11: a session of somebody who acts as another user", () => {
  const better = readFixture<{
    readonly secret: string
    readonly email: {
      readonly cookies: readonly FixtureCookie[]
      readonly rows: { readonly session: readonly object[] }
    }
  }>("better-auth@1.7.25")

  it("of Better Auth is nobody's", async () => {
    using _ = fixedClock(day)
    const [row = {}] = better.email.rows.session
    const userId = String(Reflect.get(row, "userId"))
    const open = (found: object) =>
      openMoving("jwt", { accept: [betterAuth({ secret: better.secret, find: () => found, until })], userId })
    const impersonated = await open({ ...row, impersonatedBy: "admin" })
    expect((await sessionOf(impersonated.host, toHeader(better.email.cookies))).email).toBeNull()
    const usual = await open(row)
    expect((await sessionOf(usual.host, toHeader(better.email.cookies))).email).toBe("ada@example.com")
  })

  it("of WorkOS is accepted only if `allow` says so", async () => {
    using _ = fixedClock(day)
    const made = readFixture<{ readonly password: string; readonly cookies: readonly FixtureCookie[] }>(
      "authkit-nextjs@4.3.2",
    )
    const seen: unknown[] = []
    const allow = ({ concerns, subject }: { readonly concerns: readonly string[]; readonly subject: string }) => {
      seen.push([subject, concerns])
      return false
    }
    const { host } = await openMoving("none", { accept: [authkitNextjs({ password: made.password, until, allow })] })
    expect((await sessionOf(host, toHeader(made.cookies))).email).toBeNull()
    expect(seen).toEqual([["user_01ADA", []]])
  })
})
