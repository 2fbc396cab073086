import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { flexibleStore } from "@latchkey/core/rate-limit"
import type { RateLimitStore } from "@latchkey/core/types"
import { hasProgram, type StoreServer, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { RateLimiterMemory, RateLimiterRedis, RateLimiterSQLite } from "rate-limiter-flexible"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { at, isTooMany, only, openLimited, requests, somewhere, tryPassword } from "../../setup/rate-limit-setup.js"

const address = "198.51.100.7"
/** Ignored: the budgets set the limits. */
const ignored = { points: 1, duration: 1 }

/** The contract of every store. */
function testStore(name: string, open: () => Promise<RateLimitStore>): void {
  describe(`counters in ${name}`, () => {
    it("count, are refunded and forgotten, and last as long as their window", async () => {
      const store = await open()
      expect(await store.has("a:1")).toBe(false)
      for (const used of [1, 2, 3]) expect(await store.consume("a:1", 60)).toMatchObject({ used })
      expect(await store.consume("a:2", 60)).toMatchObject({ used: 1 })
      const { msLeft } = await store.consume("a:2", 60)
      expect(msLeft).toBeGreaterThan(50_000)
      expect(msLeft).toBeLessThanOrEqual(60_000)
      await store.refund("a:1", 60)
      expect(await store.consume("a:1", 60)).toMatchObject({ used: 3 })
      await store.forget("a:1")
      expect([await store.has("a:1"), await store.has("a:2")]).toEqual([false, true])
    })

    it("RATE-07: accept exactly three of a hundred at once", async () => {
      const host = openLimited({ ...only("signIn", 3), store: await open() })
      const browser = at(host, address)
      await browser.csrfToken()
      const answers = await Promise.all(Array.from({ length: 100 }, () => requests.signIn(browser)))
      expect(answers.filter(isTooMany)).toHaveLength(97)
      expect(host.logger.errorTypes().filter((type) => type !== "TooManyRequests")).toEqual([])
    })

    it("RATE-05: stop strangers, but not users where they signed in before", async () => {
      const host = openLimited({ ...only("failuresPerAccount", 3), store: await open() })
      await tryPassword(at(host, "203.0.113.1"), "v", "right")
      const refused = []
      for (let n = 0; n < 6; n++) refused.push(isTooMany(await tryPassword(somewhere(host, n), "v", "wrong")))
      expect(refused).toEqual([false, false, false, true, true, true])
      expect((await tryPassword(at(host, "203.0.113.1"), "v", "right")).location).toBe("https://app.test")
      expect(host.logger.errorTypes().filter((type) => type === "AuthError")).toEqual([])
    })
  })
}

testStore("SQLite, of rate-limiter-flexible", async () => {
  // The one method of better-sqlite3 that Node's SQLite lacks. It only runs a single statement.
  const database = Object.assign(new DatabaseSync(":memory:"), { transaction: <T>(work: () => T) => work })
  return new Promise((resolve, reject) => {
    const options = { ...ignored, storeClient: database, storeType: "better-sqlite3", tableName: "limits" }
    const limiter = new RateLimiterSQLite(options, (error) => (error ? reject(error) : resolve(flexibleStore(limiter))))
  })
})

describe("the memory limiter of rate-limiter-flexible", () => {
  it("counts like its other limiters", async () => {
    const host = openLimited({ ...only("signOut", 3), store: flexibleStore(new RateLimiterMemory(ignored)) })
    const refused = []
    for (let n = 0; n < 5; n++) refused.push(isTooMany(await requests.signOut(at(host, address))))
    expect(refused).toEqual([false, false, false, true, true])
  })
})

describe.skipIf(!hasProgram("redis-server"))("Redis", () => {
  let server: StoreServer
  const clients: Redis[] = []

  function connect(): RateLimiterRedis {
    const client = new Redis(server.url)
    client.on("error", () => {}) // The service logs it once; ioredis emits it for each attempt to reconnect.
    clients.push(client)
    return new RateLimiterRedis({ ...ignored, storeClient: client, keyPrefix: crypto.randomUUID() })
  }

  beforeAll(async () => {
    server = await startRedis()
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect()
  })
  afterAll(() => server.stop())

  testStore("Redis", async () => flexibleStore(connect()))

  it("receives no address and no name", async () => {
    const host = openLimited({ store: flexibleStore(connect()) })
    await tryPassword(at(host, address), "victim", "right")
    const [client] = clients
    const keys = (await client?.keys("*")) ?? []
    const values = await Promise.all(keys.map((key) => client?.get(key)))
    expect(keys.length).toBeGreaterThan(1)
    expect(values.filter((value) => !/^\d+$/.test(value ?? ""))).toEqual([])
    expect(
      keys.filter((key) => /victim|198|corp/.test(key.replace(/^[0-9a-f-]{36}:[A-Za-z]+:[0-9a-f]{32}$/, ""))),
    ).toEqual([])
  })

  it("RATE-07: is replaced by a local count when it stops during sign-ins, with a log entry", async () => {
    const own = await startRedis()
    const client = new Redis(own.url)
    client.on("error", () => {}) // As above.
    clients.push(client)
    const limiter = new RateLimiterRedis({ ...ignored, storeClient: client })
    const host = openLimited({ ...only("signOut", 3), store: flexibleStore(limiter) })
    expect(isTooMany(await requests.signOut(at(host, address)))).toBe(false)
    await own.stop()
    const refused = []
    for (let n = 0; n < 5; n++) refused.push(isTooMany(await requests.signOut(at(host, address))))
    expect(refused).toEqual([false, false, false, true, true])
    expect(host.logger.errors.filter(({ message }) => message === "rateLimit.store failed")).toHaveLength(1)
  })

  describe("shared by two processes", () => {
    let processes: ChildProcess[] = []

    beforeAll(async () => {
      const folder = join(import.meta.dirname, "counter")
      const hooks = pathToFileURL(join(folder, "typescript-sources.mjs")).href
      const execArgv = ["--conditions=@latchkey/source", "--disable-warning=ExperimentalWarning", "--import", hooks]
      const env = { PATH: process.env["PATH"] }
      processes = [1, 2].map(() => fork(join(folder, "counter.mjs"), [server.url, "30"], { execArgv, env }))
      await Promise.all(processes.map((child) => once(child, "message")))
    }, 30_000)
    afterAll(async () => {
      const ends = processes.map((child) => once(child, "exit"))
      for (const child of processes) child.disconnect()
      await Promise.all(ends)
    })

    it("RATE-07: accepts exactly as many as one process would", async () => {
      const answers = processes.map(async (child) => {
        child.send({ clientAddress: address, times: 50 })
        const [{ statuses }] = await once(child, "message")
        return statuses as number[] // What counter.mjs sends.
      })
      const statuses = (await Promise.all(answers)).flat()
      expect(statuses).toHaveLength(100)
      expect(statuses.filter((status) => status !== 429)).toHaveLength(30)
    })
  })
})
