import { RedisAdapter, RedisTokenStore } from "@latchkey/redis-adapter"
import { testAdapter, testTokenStore } from "@latchkey/testkit/adapter"
import { hasProgram, type StoreCluster, startRedisCluster } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { slotOf } from "./hash-slot.js"
import { clusterConnections, type OpenClient } from "./redis-setup.js"

const hasCluster = hasProgram("redis-server") && hasProgram("redis-cli")

describe.skipIf(!hasCluster)("RedisAdapter on a cluster of three nodes", () => {
  let cluster: StoreCluster
  beforeAll(async () => {
    cluster = await startRedisCluster()
  }, 60_000)
  afterAll(() => cluster.stop())

  for (const [name, connect] of Object.entries(clusterConnections)) {
    describe(`with ${name}`, () => {
      let open: OpenClient
      beforeAll(async () => {
        open = await connect(cluster.urls)
      })
      afterAll(() => open.close())

      testAdapter({
        name: "the shared suite",
        without: ["transaction"],
        create: () => ({ adapter: RedisAdapter(open.client) }),
      })
      testTokenStore("RedisTokenStore", () => RedisTokenStore(open.client))
    })
  }

  it("assigns keys to the slots that slotOf computes", async () => {
    const client = new Redis(cluster.urls[0] ?? "")
    for (const key of ["latchkey:user:{abc-_1}", "plain", "a{b}c{d}"]) {
      expect(await client.cluster("KEYSLOT", key)).toBe(slotOf(key))
    }
    client.disconnect()
  })

  it("stores records on every node", async () => {
    const sizes = await Promise.all(cluster.urls.map(countKeys))
    expect(Math.min(...sizes)).toBeGreaterThan(0)
  })
})

async function countKeys(url: string): Promise<number> {
  const client = new Redis(url)
  const size = await client.dbsize()
  client.disconnect()
  return size
}
