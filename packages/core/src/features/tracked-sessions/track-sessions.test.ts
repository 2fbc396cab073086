import { runInNewContext } from "node:vm"
import { accountArea } from "@latchkey/core/account-area"
import Passwords from "@latchkey/core/providers/passwords"
import { secondFactors, totp } from "@latchkey/core/second-factors"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../auth.js"
import type { Adapter } from "../../types/adapter.js"
import type { AuthConfig, SessionOptions } from "../../types/config.js"
import { type TrackSessionsOptions, trackSessions } from "./track-sessions.js"

const secret = "a secret of at least thirty-two characters"

const findMistake = (session: SessionOptions, adapter?: Adapter) =>
  getService({ providers: [], secret, trustHost: true, session, ...(adapter && { adapter }) }).mistake?.message ?? null

describe("trackSessions", () => {
  it.each(["jwt", "database"] as const)(
    "is accepted with strategy %s and an adapter that has the methods",
    (strategy) => {
      expect(findMistake({ strategy, track: trackSessions() }, memoryAdapter())).toBeNull()
      const options: TrackSessionsOptions = {
        checkEvery: 0,
        device: () => null,
        adopt: new Date(),
        maxPerUser: { count: 1, over: "refuse" },
        whenStoreFails: "refuse",
      }
      expect(findMistake({ strategy, track: trackSessions(options) }, memoryAdapter())).toBeNull()
    },
  )

  it("accepts a date of another realm, such as one that a test runner creates", () => {
    const adopt: Date = runInNewContext("new Date(2026, 10, 22)")
    expect(findMistake({ track: trackSessions({ adopt }) }, memoryAdapter())).toBeNull()
  })

  it("is refused at the start with an adapter of the contract, with the methods that it lacks", () => {
    const { createSessionDetail, seeSession, listSessionsByUserId, endSessions, ...published } = memoryAdapter()
    expect(findMistake({ track: trackSessions() }, published)).toMatch(
      /^session\.track: the adapter lacks createSessionDetail, seeSession, listSessionsByUserId, endSessions\. Use @latchkey/,
    )
    expect(findMistake({ strategy: "jwt", track: trackSessions() })).toMatch(/^session\.track: needs an adapter\. Use/)
  })

  it.each([
    [{ checkEvery: -1 }, /^session\.track\.checkEvery: must be an integer of seconds from 0 to 86400/],
    [{ checkEvery: 0.5 }, /^session\.track\.checkEvery: must be/],
    [{ adopt: new Date("never") }, /^session\.track\.adopt: must be true, false or a valid date/],
    [{ maxPerUser: { count: 0, over: "refuse" } }, /^session\.track\.maxPerUser: must be an object with a count/],
    [{ maxPerUser: { count: 2, over: "newest" } }, /^session\.track\.maxPerUser: must be/],
    [{ device: "laptop" }, /^session\.track\.device: must be a function/],
    [{ whenStoreFails: "ignore" }, /^session\.track\.whenStoreFails: must be "hold" or "refuse"/],
    [{ checkevery: 60 }, /^session\.track\.checkevery: unknown option\. Use checkEvery, device, adopt/],
  ])("refuses %j at the start", (options, sentence) => {
    const session = { track: trackSessions(options as TrackSessionsOptions) }
    expect(findMistake(session, memoryAdapter())).toMatch(sentence)
  })

  it.each([true, {}, "all"])("is the only value of the option: %j is refused", (track) => {
    expect(findMistake({ track: track as never }, memoryAdapter())).toBe(
      "session.track: must be the result of trackSessions() or false",
    )
  })
})

describe("a feature that needs tracked sessions", () => {
  const base = { secret, trustHost: true, adapter: memoryAdapter() }
  const features: readonly (readonly [string, Partial<AuthConfig>])[] = [
    ["providers.password", { providers: [Passwords({ mail: { send: () => {} } })] }],
    ["secondFactors", { secondFactors: secondFactors({ factors: [totp()] }) }],
    ["accountArea", { accountArea: accountArea() }],
  ]
  const open = (...changes: readonly Partial<AuthConfig>[]) =>
    getService(Object.assign({ providers: [], ...base }, ...changes))

  it.each(features)("brings them along: %s", (_, feature) => {
    for (const strategy of ["jwt", "database"] as const) {
      const { mistake, slots } = open(feature, { session: { strategy } })
      expect([mistake, slots.trackSessions]).toEqual([null, expect.any(Function)])
    }
    expect(open(feature).mistake).toBeNull()
  })

  it.each(features)("leaves the settings of session.track as they are: %s", (_, feature) => {
    const track = trackSessions({ checkEvery: 0 })
    const service = open(feature, { session: { track } })
    expect(service.mistake).toBeNull()
    expect(service.features.filter(({ feature: name }) => name === "session.track")).toEqual([track])
    expect(open(feature, { session: { track: trackSessions({ checkEvery: -1 }) } }).mistake?.message).toMatch(
      /^session\.track\.checkEvery: must be/,
    )
  })

  it.each(features)("is refused at the start beside session.track: false: %s", (option, feature) => {
    const { mistake } = open(feature, { session: { track: false } })
    expect(mistake?.message).toBe(
      `${option}: needs records of the sessions, but session.track is false. Leave out session.track or ${option}`,
    )
  })

  it.each(features)("names the methods that the adapter lacks: %s", (option, feature) => {
    const { createSessionDetail, seeSession, ...adapter } = memoryAdapter()
    expect(open(feature, { adapter }).mistake?.message).toBe(
      `${option}: the adapter lacks createSessionDetail, seeSession. Use @latchkey/kysely-adapter or @latchkey/drizzle-adapter or @latchkey/prisma-adapter or @latchkey/redis-adapter, or leave out ${option}`,
    )
  })
})

describe("session.track: false", () => {
  it("means no records", () => {
    for (const session of [{ track: false }, {}] as const) {
      const { mistake, slots } = getService({
        providers: [],
        secret,
        trustHost: true,
        adapter: memoryAdapter(),
        session,
      })
      expect([mistake, slots.trackSessions]).toEqual([null, undefined])
    }
  })
})
