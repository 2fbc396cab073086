import type { Adapter } from "@latchkey/core/adapters"
import { RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import { adapterCases } from "@latchkey/testkit/adapter"
import { hasProgram } from "@latchkey/testkit/servers"
import type { Redis } from "ioredis"
import { describe, expect, it } from "vitest"
import { crc16, slotOf } from "./hash-slot.js"
import { withRedis } from "./redis-setup.js"
import { watchedClient } from "./watched-client.js"

describe("slotOf", () => {
  it("computes the slots of the Redis Cluster specification", () => {
    expect(crc16("123456789")).toBe(0x31c3)
    expect(slotOf("{user1000}.following")).toBe(slotOf("{user1000}.followers"))
  })
})

describe.skipIf(!hasProgram("redis-server"))("RedisAdapter hash slots", () => {
  let client: Redis
  withRedis((started) => {
    client = started
  })

  it("each step of the shared suite uses one hash slot, and all steps together use many", async () => {
    const steps: (readonly string[])[] = []
    const watched = watchedClient(client, async ({ keys, send }) => {
      steps.push(keys)
      return await send()
    })
    const adapter: RedisMethods = RedisAdapter(watched)
    const testCases = Object.values(adapterCases).flat()
    for (const { needs, run } of testCases)
      if (!needs.includes("transaction")) await run(adapter as Required<Adapter>, 5) // as: it has the methods of these cases
    const slots = steps.map((keys) => new Set(keys.map(slotOf)))
    expect(slots.filter((all) => all.size !== 1)).toEqual([])
    expect(new Set(slots.flatMap((all) => [...all])).size).toBeGreaterThan(500)
    expect(Math.max(...steps.map((keys) => keys.length))).toBeGreaterThan(5)
  })
})
