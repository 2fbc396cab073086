import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setImmediate as turn } from "node:timers/promises"
import type { Adapter } from "@latchkey/core/adapters"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { latchkey, startLatchkey } from "../command.js"
import {
  createApp,
  expectOneSource,
  expectSame,
  newPath,
  readReport,
  removeFiles,
  toUser,
  writeLines,
} from "../import/app.js"

afterAll(removeFiles)

/** Ids that lenient collations take for one another. */
async function expectCloseIds(adapter: Adapter): Promise<void> {
  const ids = ["close", "Close", "close ", "clos\u00e9", "close\u0301", "__proto__"]
  const lines = ids.map((id, index) => ({
    id,
    accounts: [{ provider: "github", providerAccountId: `${id}|${index}` }],
  }))
  const { run } = createApp(adapter)
  expect((await run(writeLines(lines))).output).toContain("6 users imported")
  expect((await run(writeLines(lines))).output).toContain("6 are here already")
  for (const [index, id] of ids.entries())
    expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: `${id}|${index}` })).toMatchObject(
      { id },
    )
}

describe("latchkey import to real servers", () => {
  it.skipIf(!hasProgram("postgres"))(
    "MIG-06: ends in one state in PostgreSQL, twice at once",
    async () => {
      const server = await startPostgres()
      const adapter = postgres(server.url)
      try {
        await adapter.migrate()
        await expectSame(adapter)
        await expectOneSource(adapter)
        await expectCloseIds(adapter)
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
        await expectOneSource(adapter)
        await expectCloseIds(adapter)
      } finally {
        await adapter.close()
        await server.stop()
      }
    },
    60_000,
  )
})

/** Imports users with integer ids into a store that generates them, and creates users before and afterwards. */
async function expectIntegerIds(adapter: Adapter): Promise<void> {
  const create = async (name: string) =>
    Number((await adapter.createUser?.({ id: "", email: `${name}@example.com`, emailVerified: null }))?.id)
  expect(await create("first")).toBe(1)
  const users = Array.from({ length: 30 }, (_, index) => ({ ...toUser(index), id: String(1030 - index) }))
  const path = writeLines([...users, { id: "x7", email: "x7@example.com" }, { id: "1", email: "other@example.com" }])
  const report = newPath()
  const app = createApp(adapter)
  const { code, output } = await app.run(path, "--report", report)
  expect([code, output]).toEqual([1, expect.stringContaining("30 users imported")])
  expect(output).toContain("Of those, 1 has another address here")
  expect(readReport(report)).toMatchObject([{ id: "x7", reason: expect.stringContaining("id must be an integer") }])
  expect(await adapter.getUser?.("1010")).toMatchObject({ email: "u20@example.com" })
  expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: "20" })).toMatchObject({
    id: "1010",
  })
  const after = [await create("second"), await create("third")]
  expect(after).toEqual([1031, 1032])
  expect((await app.run(path)).output).toContain("31 are here already")
  expect(await create("fourth")).toBeGreaterThan(1032)
  const uuids = Array.from({ length: 3 }, (_, index) => ({ id: randomUUID(), email: `n${index}@example.com` }))
  const other = await app.run(writeLines(uuids))
  expect([other.code, other.errors]).toEqual([2, expect.stringMatching(/ids of another kind.*--map/)])
  expect(await adapter.getUserByEmail?.("n0@example.com")).toBeNull()
}

/** How tables of apps let PostgreSQL generate ids. */
const identities = {
  "an identity by default": "select 1",
  "an identity always": 'alter table "User" alter column id set generated always',
  "a sequence": `alter table "User" alter column id drop identity; create sequence own_ids;
    alter table "User" alter column id set default nextval('own_ids')`,
}

describe("latchkey import to integer ids that the database generates", () => {
  it.skipIf(!hasProgram("postgres"))(
    "keeps them in PostgreSQL, which goes on after them",
    async () => {
      for (const statements of Object.values(identities)) {
        const server = await startPostgres()
        const adapter = postgres(server.url, { ids: "integer" })
        try {
          await adapter.migrate()
          for (const statement of statements.split(";")) await sql.raw(statement).execute(adapter.db)
          await expectIntegerIds(adapter)
        } finally {
          await adapter.close()
          await server.stop()
        }
      }
    },
    120_000,
  )

  it.skipIf(!hasProgram("mariadbd"))(
    "keeps them in MariaDB, which goes on after them",
    async () => {
      const server = await startMariadb()
      const adapter = mysql(server.url, { ids: "integer" })
      try {
        await adapter.migrate()
        await expectIntegerIds(adapter)
      } finally {
        await adapter.close()
        await server.stop()
      }
    },
    60_000,
  )

  it("keeps them in SQLite, which goes on after them", async () => {
    const adapter = sqlite(":memory:", { ids: "integer" })
    await expectIntegerIds(adapter)
    adapter.close()
  })
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

/** Signals and exit codes. In a container without a terminal, SIGINT reaches the first process alone. */
const endings = [
  ["SIGKILL", null],
  ["SIGINT", 2],
] as const

describe("latchkey import in a process of its own", () => {
  it.each(endings)(
    "MIG-06: goes on after %s, with every user whole",
    async (signal, exitCode) => {
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
        killed.kill(signal)
        expect((await ended)[0]).toBe(exitCode)
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
    },
    120_000,
  )
})
