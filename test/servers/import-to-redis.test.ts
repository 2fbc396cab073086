import { RedisAdapter } from "@latchkey/redis-adapter"
import { hasProgram, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, describe, it } from "vitest"
import { expectSame, removeFiles } from "../../packages/cli/test/import/app.js"

afterAll(removeFiles)

describe("latchkey import to a store without transactions", () => {
  it.skipIf(!hasProgram("redis-server"))(
    "MIG-06: ends in one state in Redis, which has no transactions",
    async () => {
      const server = await startRedis()
      const client = new Redis(server.url)
      try {
        await expectSame(RedisAdapter(client))
      } finally {
        client.disconnect()
        await server.stop()
      }
    },
    60_000,
  )
})
