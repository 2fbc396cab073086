import { mysql } from "@latchkey/kysely-adapter/mysql"
import { hasProgram, startMariadb } from "@latchkey/testkit/servers"
import { sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { createApp, newPath, readReport, removeFiles, writeLines } from "../import/app.js"

afterAll(removeFiles)

/** Collations of tables that hosts made, and the ids that each of them takes for that of the first user. */
const collations = {
  utf8mb4_general_ci: ["Close", "close ", "clos\u00e9"],
  utf8mb4_uca1400_ai_ci: ["Close", "close ", "clos\u00e9", "close\u0301"],
  utf8mb4_bin: ["close "],
}

const ids = ["close", "Close", "close ", "clos\u00e9", "close\u0301"]

describe.skipIf(!hasProgram("mariadbd"))("tables with another collation in MariaDB", () => {
  it("MIG-22: refuse users whose ids they cannot tell apart, and give none of them what another one has", async () => {
    const server = await startMariadb()
    try {
      for (const [collation, taken] of Object.entries(collations)) {
        const adapter = mysql(server.url, { prefix: `${collation}_` })
        const text = sql.raw(`character set utf8mb4 collate ${collation}`)
        const name = (table: string) => sql.id(`${collation}_${table}`)
        await sql`create table ${name("User")} (id varchar(191) ${text} primary key, name text, email varchar(191) ${text},
          emailVerified timestamp(3) null, image text)`.execute(adapter.db)
        await sql`create table ${name("Account")} (userId varchar(191) ${text}, type text, provider varchar(191) ${text},
          providerAccountId varchar(191) ${text}, refresh_token text, access_token text, expires_at int, token_type text,
          scope text, id_token text, session_state text)`.execute(adapter.db)
        await sql`create table ${name("Session")} (sessionToken varchar(191) ${text}, userId varchar(191) ${text},
          expires datetime(3))`.execute(adapter.db)
        await adapter.migrate()
        const lines = ids.map((id, index) => ({
          id,
          email: `n${index}@example.com`,
          emailVerified: "2024-01-01T00:00:00Z",
          accounts: [{ provider: "github", providerAccountId: id }],
        }))
        const report = newPath()
        expect((await createApp(adapter).run(writeLines(lines), "--report", report)).code).toBe(1)
        const refused = readReport(report).map(({ id, reason }) => [id, reason])
        expect([collation, refused]).toEqual([
          collation,
          taken.map((id) => [id, expect.stringContaining("ER_DUP_ENTRY")]),
        ])
        for (const [index, id] of ids.entries()) {
          const isTaken = taken.includes(id)
          const own = isTaken ? null : expect.objectContaining({ id, email: `n${index}@example.com` })
          expect([id, await adapter.getUser(id)]).toEqual([id, own])
          expect([id, await adapter.getUserByAccount({ provider: "github", providerAccountId: id })]).toEqual([id, own])
          expect((await adapter.listAccountsByUserId?.(id))?.length).toBe(isTaken ? 0 : 1)
          expect(await adapter.isEmailVerified?.({ id, email: "n0@example.com" })).toBe(index === 0)
        }
        await adapter.close()
      }
    } finally {
      await server.stop()
    }
  }, 120_000)
})
