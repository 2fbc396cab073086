import { RedisAdapter, RedisTokenStore } from "@latchkey/redis-adapter"
import { testAdapter, testFeatures, testTokenStore } from "@latchkey/testkit/adapter"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe } from "vitest"
import { connections, type OpenClient } from "./redis-setup.js"

function testClients(url: () => string, prefix: string): void {
  for (const [name, connect] of Object.entries(connections)) {
    describe(`with ${name}`, () => {
      let open: OpenClient
      beforeAll(async () => {
        open = await connect(url())
      })
      afterAll(() => open.close())

      testAdapter({
        name: "the shared suite",
        without: ["transaction"],
        create: () => ({ adapter: RedisAdapter(open.client, { prefix }) }),
      })
      testTokenStore("RedisTokenStore", () => RedisTokenStore(open.client, { prefix }))
      testFeatures({ name: "the service", create: () => ({ adapter: RedisAdapter(open.client, { prefix }) }) })
    })
  }
}

const given = process.env["LATCHKEY_REDIS_URL"]

if (given) {
  describe("RedisAdapter on the server of LATCHKEY_REDIS_URL", () => {
    testClients(() => given, `run-${crypto.randomUUID()}`)
  })
}

describe.skipIf(!hasProgram("redis-server"))("RedisAdapter on one server", () => {
  let server: StoreServer
  beforeAll(async () => {
    server = await startRedis()
  }, 30_000)
  afterAll(() => server.stop())

  testClients(() => server.url, "latchkey")
})
