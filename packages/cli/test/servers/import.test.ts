import { once } from "node:events"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate as turn } from "node:timers/promises"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, describe, expect, it } from "vitest"
import { latchkey, startLatchkey } from "../command.js"
import { expectSame, removeFiles, toUser, writeLines } from "../import/app.js"

afterAll(removeFiles)

describe("latchkey import to real servers", () => {
  it.skipIf(!hasProgram("postgres"))(
    "MIG-06: ends in one state in PostgreSQL, twice at once",
    async () => {
      const server = await startPostgres()
      const adapter = postgres(server.url)
      try {
        await adapter.migrate()
        await expectSame(adapter)
      } finally {
        await adapter.close()
        await server.stop()
      }
    },
    60_000,
  )

  it.skipIf(!hasProgram("mariadbd"))(
    "MIG-06: ends in one state in MariaDB, twice at once",
    async () => {
      const server = await startMariadb()
      const adapter = mysql(server.url)
      try {
        await adapter.migrate()
        await expectSame(adapter)
      } finally {
        await adapter.close()
        await server.stop()
      }
    },
    60_000,
  )
})

const configuration = `
import GitHub from "@latchkey/core/providers/github"
import Passwords from "@latchkey/core/providers/passwords"
import Resend from "@latchkey/core/providers/resend"
import { bcrypt } from "@latchkey/core/passwords"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"

export const config = {
  adapter: sqlite("app.db"),
  providers: [GitHub, Passwords({ mail: Resend({ apiKey: "key", from: "a@app.example" }), accept: [bcrypt()] })],
  session: { strategy: "jwt" },
}
`

const environment = {
  AUTH_SECRET: "3lGkUQH0c9Ie2nQm7WwZt5xYv8Ra4Pb1",
  AUTH_GITHUB_ID: "id",
  AUTH_GITHUB_SECRET: "secret",
}

describe("latchkey import in a process of its own", () => {
  it("MIG-06: goes on after kill -9, with every user whole", async () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-import-app-"))
    symlinkSync(join(import.meta.dirname, "..", "..", "..", "..", "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), "{}")
    writeFileSync(join(folder, "auth.mjs"), configuration)
    sqlite(join(folder, "app.db")).close()
    const database = new DatabaseSync(join(folder, "app.db"), { timeout: 10_000 })
    const count = (table: string) => Number(database.prepare(`select count(*) as n from "${table}"`).get()?.["n"])
    try {
      const total = 3000
      const path = writeLines(Array.from({ length: total }, (_, index) => toUser(index)))
      const args = ["import", "json", path, "--config", "auth.mjs", "--yes", "--batch", "20"]
      const killed = startLatchkey(args, folder, environment)
      const ended = once(killed, "close")
      while (count("User") === 0 && killed.exitCode === null) await turn()
      killed.kill("SIGKILL")
      await ended
      const before = count("User")
      expect(before).toBeGreaterThan(0)
      const { code, output, errors } = await latchkey([...args, "--resume"], folder, environment)
      expect([code, errors]).toEqual([0, ""])
      if (before < total) expect(output).toContain("Goes on after")
      const tables = ["User", "Account", "Password", "ProvenEmail"]
      expect(tables.map(count)).toEqual(tables.map(() => total))
    } finally {
      database.close()
      rmSync(folder, { recursive: true })
    }
  }, 120_000)
})
