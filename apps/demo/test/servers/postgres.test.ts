import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { Client } from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { testJourneys } from "../browser/journeys.suite.js"
import { hasChromium } from "../chromium.js"
import { openStage } from "../stage.js"

const canRun = hasProgram("postgres") && hasChromium

describe.skipIf(!canRun)("the demo over PostgreSQL", () => {
  let server: DatabaseServer
  let count = 0
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  /** The URL of a new, empty database. */
  async function createDatabase(): Promise<string> {
    count += 1
    const client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query(`create database demo_${count}`)
    await client.end()
    return new URL(`/demo_${count}`, server.url).href
  }

  testJourneys(async (browser) => openStage({ browser, database: await createDatabase() }))
})
