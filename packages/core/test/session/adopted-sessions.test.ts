import { Auth } from "@latchkey/core"
import { encode } from "@latchkey/core/jwt"
import { recoveryCodes, type SecondFactorOptions, secondFactors, totp } from "@latchkey/core/second-factors"
import { signOutEverywhere, type TrackSessionsOptions, trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, JWT } from "@latchkey/core/types"
import { fixedClock } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { passTime } from "../setup/fake-timers.js"
import { readAnswer, requestTo } from "../setup/requests.js"
import { cookiesOf, openTracked, readSession, type TrackedHost, type TrackedOptions } from "../setup/tracked-setup.js"

let clock: ReturnType<typeof fixedClock>
beforeEach(() => {
  clock = fixedClock()
})
afterEach(() => clock.restore())

const name = "__Secure-authjs.session-token"

/** The cookie of a session as an app with the same secret and without `session.track` writes it. */
async function foreignCookie({ host }: TrackedHost, token: JWT = { sub: "u-vera", name: "vera" }): Promise<string> {
  return `${name}=${await encode({ token, secret: String(host.config.secret), salt: name })}`
}

/** A user's session from before, and the service that tracks sessions since then. */
async function openMoved(track: TrackSessionsOptions = {}, changes: TrackedOptions = {}) {
  const tracked = openTracked("jwt", null, changes)
  const cookie = cookiesOf(await tracked.signIn("vera"))
  Object.assign(tracked.host.config, { session: { strategy: "jwt", track: trackSessions(track) } })
  return { ...tracked, cookie }
}

const methodsSince = ({ adapter }: TrackedHost, before: number) =>
  adapter.calls.slice(before).map(({ method }) => method)

describe("a token without a record", () => {
  it("SESS-09: signs nobody in that was issued after sessions were first tracked", async () => {
    const tracked = openTracked("jwt")
    await tracked.signIn("vera")
    expect(await readSession(tracked, await foreignCookie(tracked))).toBe("null")
    clock.advance({ days: 1 })
    expect(await readSession(tracked, await foreignCookie(tracked))).toBe("null")
    expect(tracked.host.logger.warnings).toEqual(["session-not-adopted"])
  })

  it("SESS-09: signs nobody in after a restart either, since the first start is stored", async () => {
    const tracked = await openMoved()
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    clock.advance({ days: 1 })
    const fresh = await foreignCookie(tracked)
    expect((await tracked.newProcess()("/auth/session", fresh)).text).toBe("null")
    const other = await foreignCookie(tracked, { sub: "u-vera", iat: 1 })
    expect((await tracked.newProcess()("/auth/session", other)).text).toBe("null")
  })

  it("goes on at every process if it is from before", async () => {
    const tracked = await openMoved()
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    clock.advance({ days: 1 })
    expect((await tracked.newProcess()("/auth/session", tracked.cookie)).text).not.toBe("null")
    expect(await tracked.adapter.listSessionsByUserId("u-vera")).toHaveLength(1)
  })

  it("SESS-09: does not bring back an ended session that a half without tracking has renewed", async () => {
    const tracked = await openMoved()
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    expect(await signOutEverywhere(tracked.host.config as AuthConfig, "u-vera")).toBe(1)
    clock.advance({ seconds: 60 })
    const half = { ...(tracked.host.config as AuthConfig), session: { strategy: "jwt" as const } }
    const renewed = await Auth(requestTo("/auth/session", { cookie: tracked.cookie }), half)
    const cookie = renewed.headers.getSetCookie().find((each) => each.startsWith(name)) ?? ""
    expect(await readSession(tracked, cookie.split(";", 1)[0] ?? "")).toBe("null")
  })

  it("SESS-09: without an id is one session, which stays ended", async () => {
    const tracked = await openMoved({ adopt: new Date(clock.now() + 1000) })
    const { host } = tracked
    const iat = Math.floor(clock.now() / 1000)
    host.config.jwt = { decode: async () => ({ sub: "u-vera", iat }) }
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    expect(await signOutEverywhere(host.config as AuthConfig, "u-vera")).toBe(1)
    clock.advance({ seconds: 60 })
    expect(await readSession(tracked, tracked.cookie)).toBe("null")
  })

  it("SESS-10: signs nobody in whose user was deleted, with either date", async () => {
    for (const adopt of [true, new Date(clock.now() + 1000)]) {
      const tracked = await openMoved({ adopt })
      await tracked.adapter.deleteUser("u-vera")
      expect(await readSession(tracked, tracked.cookie)).toBe("null")
    }
  })
})

describe("the date of `adopt`", () => {
  it("SESS-09: lets tokens from before it go on, whenever they come, and no later ones", async () => {
    const tracked = await openMoved({ adopt: new Date(clock.now() + 60_000) })
    const second = await foreignCookie(tracked)
    clock.advance({ days: 7 })
    expect(await readSession(tracked, await foreignCookie(tracked))).toBe("null")
    expect(await readSession(tracked, second)).not.toBe("null")
  })

  it("is needed where the adapter cannot keep when sessions were first tracked", async () => {
    const adapter = { takeTemporary: undefined }
    const without = await openMoved({}, { adapter } as object)
    expect(await readSession(without, without.cookie)).toBe("null")
    expect(without.host.logger.warnings).toContain("session-not-adopted")
    const dated = await openMoved({ adopt: new Date(clock.now() + 1000) }, { adapter } as object)
    expect(await readSession(dated, dated.cookie)).not.toBe("null")
  })
})

describe("adopting a session", () => {
  // Such as workers do when their visitor leaves: what that request waited for never comes.
  it.each(["takeTemporary", "createSessionDetail"] as const)(
    "waits for no request that the platform ended while it called %s",
    async (method) => {
      const tracked = await openMoved()
      expect(await readSession(tracked, await foreignCookie(tracked))).not.toBe("null")
      const ended = vi.fn(tracked.adapter[method]).mockReturnValueOnce(new Promise<never>(() => {}))
      const call = tracked.newProcess({ adapter: { ...tracked.adapter, [method]: ended } })
      void call("/auth/session", tracked.cookie)
      await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce())
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const { text } = await passTime(call("/auth/session", tracked.cookie))
      vi.useRealTimers()
      expect(text === "null").toBe(method === "createSessionDetail")
    },
  )

  it("asks the store five times, the last two at once", async () => {
    const tracked = await openMoved({ adopt: new Date(clock.now() + 1000) })
    const before = tracked.adapter.calls.length
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    expect(methodsSince(tracked, before)).toEqual([
      "consumeOnce",
      "getUser",
      "createSessionDetail",
      "consumeOnce",
      "takeLease",
    ])
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    expect(methodsSince(tracked, before).slice(5)).toEqual(["seeSession"])
  })

  it("asks the store twice for one that another process has adopted, and three times for one that has ended", async () => {
    const tracked = await openMoved({ adopt: new Date(clock.now() + 1000) })
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
    const before = tracked.adapter.calls.length
    expect((await tracked.newProcess()("/auth/session", tracked.cookie)).text).not.toBe("null")
    expect(methodsSince(tracked, before)).toEqual(["consumeOnce", "seeSession"])
    await tracked.adapter.endSessions({ userId: "u-vera" })
    const ended = tracked.adapter.calls.length
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    expect((await passTime(tracked.newProcess()("/auth/session", tracked.cookie))).text).toBe("null")
    expect(methodsSince(tracked, ended)).toEqual(["consumeOnce", "seeSession", "seeSession"])
  })

  it("is tried again after the store failed, and the cookie stays", async () => {
    const tracked = await openMoved()
    const config = tracked.host.config as AuthConfig
    const adapter = config.adapter ?? {}
    const { getUser } = tracked.adapter
    Object.assign(adapter, { getUser: () => Promise.reject(new Error("away")) })
    const answer = await readAnswer(await Auth(requestTo("/auth/session", { cookie: tracked.cookie }), config))
    expect([answer.text, answer.cookies.get(name)]).toEqual(["null", undefined])
    Object.assign(adapter, { getUser })
    expect(await readSession(tracked, tracked.cookie)).not.toBe("null")
  })
})

describe("a session from before second factors, or of an app without them", () => {
  async function openGated(options: Partial<SecondFactorOptions>, enrolls: boolean) {
    const tracked = await openMoved({ adopt: new Date(clock.now() + 1000) })
    tracked.host.config.secondFactors = secondFactors({ factors: [totp(), recoveryCodes()], ...options })
    const factor = {
      id: "f",
      userId: "u-vera",
      kind: "totp",
      secret: "sealed",
      label: null,
      lastStep: null,
      version: 0,
    }
    if (enrolls) await tracked.adapter.createFactor({ ...factor, createdAt: new Date(), lastUsedAt: null })
    return readSession(tracked, tracked.cookie)
  }

  it.each<[string, Partial<SecondFactorOptions>, boolean]>([
    ["a user who has one", {}, true],
    ["every user, who must have one", { require: "always" }, false],
    ["a user for whom the app demands one", { require: () => true }, false],
  ])("SESS-11: is not adopted past the gate: %s", async (_, options, enrolls) => {
    expect(await openGated(options, enrolls)).toBe("null")
  })

  it("goes on for a user who would not be asked for one", async () => {
    expect(await openGated({}, false)).not.toBe("null")
  })

  it("SESS-11: is not extended as a stored session", async () => {
    const tracked = openTracked("database", null)
    const browser = await tracked.signIn("vera")
    tracked.host.config.session = { strategy: "database" }
    tracked.host.config.secondFactors = secondFactors({ factors: [totp()], require: "always" })
    clock.advance({ days: 1 })
    expect(await browser.session()).toBeNull()
  })
})
