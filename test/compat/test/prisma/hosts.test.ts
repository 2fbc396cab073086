import { DatabaseSync } from "node:sqlite"
import type { AdapterUser } from "@latchkey/core/adapters"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { featureMethods, testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { PrismaPg } from "@prisma/adapter-pg"
import type { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { nodeSqliteAdapter } from "../../prisma/node-sqlite-adapter.js"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"
import { openPool } from "../theirs/pg-pool.js"

/** Tests for every type of id. */
function testHost(client: () => GeneratedClient, isId: RegExp): void {
  const sample = () => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com`, emailVerified: null })

  testAdapter({
    create: () => ({ adapter: PrismaAdapter(client()) }),
    without: [
      ...(["updateAuthenticator", "consumeOnce", "markEmailVerified", "isEmailVerified"] as const),
      // The others need tables that the schema does not have.
      ...featureMethods.filter((method) => !["replaceTokens", "replaceEmail", "transaction"].includes(method)),
    ],
  })

  it("uses ids from the database, and finds no user by another spelling of an id", async () => {
    const adapter = PrismaAdapter(client())
    const { id } = await adapter.createUser(sample())
    expect(id).toMatch(isId)
    for (const other of [` ${id}`, `${id} `, `0${id}`, `${id.slice(0, -1)}x`, "9".repeat(30), "-1", "\0", "'"]) {
      expect(await adapter.getUser(other)).toBeNull()
      expect(await adapter.deleteUser(other)).toBeNull()
      expect(await adapter.listAccountsByUserId(other)).toEqual([])
    }
    expect(await adapter.getUser(id)).toMatchObject({ id })
  })

  it("writes and reads additional fields, and rejects values of other types", async () => {
    const adapter = PrismaAdapter(client())
    const own = { role: "editor", settings: { theme: { set: "dark" } } }
    const user = await adapter.createUser({ ...sample(), ...own })
    expect(user).toMatchObject(own)
    const change = (changes: object) => adapter.updateUser({ id: user.id, ...changes } as AdapterUser) // as: the host's
    await expect(change({ role: { set: "owner" } })).rejects.toThrow("role must be a String that its field can hold")
    expect(await adapter.getUserByEmail(user.email)).toMatchObject(own)
    expect(await change({ role: "owner" })).toMatchObject({ role: "owner", settings: own.settings })
  })
}

describe("a custom schema in SQLite, with numeric ids", () => {
  const database = new DatabaseSync(":memory:")
  let client: GeneratedClient
  beforeAll(async () => {
    database.exec(await readTables("host-sqlite"))
    client = await openClient("host-sqlite", nodeSqliteAdapter(database))
  })
  afterAll(async () => await client.$disconnect())

  testHost(() => client, /^\d+$/)
})

describe.skipIf(!hasProgram("postgres"))("a custom schema in PostgreSQL, with UUIDs", () => {
  let server: DatabaseServer
  let pool: Pool
  let client: GeneratedClient
  beforeAll(async () => {
    server = await startPostgres()
    pool = openPool(server.url)
    await pool.query(await readTables("host-postgresql"))
    client = await openClient("host-postgresql", new PrismaPg(pool))
  })
  afterAll(async () => {
    await client.$disconnect()
    await pool.end()
    await server.stop()
  })

  testHost(() => client, /^[0-9a-f-]{36}$/)
})
