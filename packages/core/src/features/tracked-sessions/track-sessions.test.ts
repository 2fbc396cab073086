import { runInNewContext } from "node:vm"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../service.js"
import type { Adapter } from "../../types/adapter.js"
import type { SessionOptions } from "../../types/config.js"
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
      "session.track: must be the result of trackSessions()",
    )
  })
})
