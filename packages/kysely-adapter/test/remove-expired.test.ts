import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import { expires, sampleUser } from "./samples.js"

describe("removeExpired in SQLite", () => {
  let adapter: ReturnType<typeof sqlite>
  let userId: string
  beforeEach(async () => {
    adapter = sqlite(":memory:")
    userId = (await adapter.createUser(sampleUser())).id
  })
  afterEach(() => adapter.close())

  /** Inserts sessions whose row ids are far apart, as after many deletions. */
  function insertSessions(count: number, name: string, expiry: Date): void {
    const insert = adapter.database.prepare(
      `insert into "Session" (rowid, "sessionToken", "userId", expires) values (?, ?, ?, ?)`,
    )
    const [last = 0] = Object.values(adapter.database.prepare(`select max(rowid) from "Session"`).get() ?? {})
    for (let n = 1; n <= count; n++)
      insert.run(Number(last) + n * 1_000_003, `${name}-${n}`, userId, expiry.toISOString())
  }

  const past = new Date("2020-01-01T00:00:00.000Z")

  it("deletes many rows in batches, between which the process answers requests", async () => {
    insertSessions(700, "live", expires)
    insertSessions(2_600, "expired", past)
    insertSessions(700, "live-too", expires)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const removed = adapter.removeExpired()
    expect(removed).toBeInstanceOf(Promise)
    await expect(removed).resolves.toBe(2_600)
    clearInterval(timer)
    expect(turns).toBeGreaterThanOrEqual(4)
    const [left] = Object.values(adapter.database.prepare(`select count(*) from "Session"`).get() ?? {})
    expect(left).toBe(1_400)
  })

  it("answers synchronously when one batch is enough", () => {
    insertSessions(20, "expired", past)
    insertSessions(20, "live", expires)
    expect(adapter.removeExpired()).toBe(20)
  })

  it("reaches the largest and the smallest row ids", async () => {
    const insert = adapter.database.prepare(
      `insert into "Session" (rowid, "sessionToken", "userId", expires) values (?, ?, ?, ?)`,
    )
    for (const [n, rowId] of [9223372036854775807n, -9223372036854775807n, 0n].entries()) {
      insert.run(rowId, `edge-${n}`, userId, past.toISOString())
    }
    expect(await adapter.removeExpired()).toBe(3)
  })
})

describe("removeExpired in a file of SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-removal-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("copies few pages of the log to the file at a time, because the process waits meanwhile", async () => {
    const path = join(folder, "app.db")
    const filled = sqlite(path)
    const { id } = await filled.createUser(sampleUser())
    filled.database.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
      insert into "Session" ("sessionToken", "userId", expires)
      select lower(hex(randomblob(32))), '${id}', iif(i % 2, '2020-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z') from n`)
    // The last connection empties the log.
    filled.close()

    const adapter = sqlite(path)
    await expect(adapter.removeExpired()).resolves.toBe(20_000)
    // The log begins anew after each copy, so its size is that of the largest one.
    const pages = statSync(`${path}-wal`).size / 4096
    expect(pages).toBeGreaterThan(100)
    expect(pages).toBeLessThan(700)
    adapter.close()
  })
})
