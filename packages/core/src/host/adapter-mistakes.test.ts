import { describe, expect, it } from "vitest"
import { findAdapterMistake } from "./adapter-mistakes.js"

const needs = { option: "session.track", methods: ["seeSession", "endSessions"] } as const

describe("findAdapterMistake", () => {
  it("names the option and the adapters when there is no adapter", () => {
    expect(findAdapterMistake(needs, undefined)).toMatchObject({
      type: "MissingAdapter",
      message:
        "session.track: needs an adapter. Use @latchkey/kysely-adapter or @latchkey/drizzle-adapter or @latchkey/prisma-adapter or @latchkey/redis-adapter, or leave out session.track",
    })
  })

  it("names the option, each missing method and the adapters that have all of them", () => {
    expect(findAdapterMistake(needs, { seeSession: () => null })).toMatchObject({
      type: "MissingAdapterMethods",
      message: expect.stringMatching(
        /^session\.track: the adapter lacks endSessions\. Use @latchkey\/kysely-adapter or /,
      ),
    })
    const all = { option: "password", methods: ["transaction"] } as const
    expect(findAdapterMistake(all, {})?.message).not.toContain("redis")
  })

  it("finds no mistake in an adapter that has the methods or creates them on demand", () => {
    expect(findAdapterMistake(needs, { seeSession: () => null, endSessions: () => 0 })).toBeNull()
    expect(findAdapterMistake(needs, new Proxy({}, { has: () => true }))).toBeNull()
  })
})
