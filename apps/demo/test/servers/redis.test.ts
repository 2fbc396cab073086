import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe } from "vitest"
import { testJourneys } from "../browser/journeys.suite.js"
import { hasChromium } from "../chromium.js"
import { openStage } from "../stage.js"

const canRun = hasProgram("redis-server") && hasChromium

describe.skipIf(!canRun)("the demo over Redis", () => {
  let server: StoreServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  testJourneys(async (browser) => {
    const client = new Redis(server.url)
    await client.flushall()
    client.disconnect()
    return openStage({ browser, database: server.url })
  })
})
