import { DrizzleAdapter, type DrizzleTables } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import type { DrizzleConfig } from "drizzle-orm"
import { getTableConfig, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { describe, expect, it } from "vitest"
import { createStatements, tablesOf } from "./create-tables.js"
import { EverythingCache } from "./everything-cache.js"
import { type OpenSqlite, openNodeSqlite } from "./node-sqlite-drizzle.js"
import { expires, sampleUser } from "./samples.js"

describe("DrizzleAdapter", () => {
  const { db, database } = openTables()

  it("refuses what is no database of Drizzle's", () => {
    for (const other of [database, {}, null, "postgres://db"]) {
      expect(() => DrizzleAdapter(other as never)).toThrow("db must be a database of Drizzle's")
    }
  })

  it("refuses a table that lacks a column or is none, and names it", () => {
    const refused: readonly [DrizzleTables, string][] = [
      [{ sessionsTable: sqliteTable("s", { sessionToken: text(), userId: text() }) as never }, "sessionsTable.expires"],
      [{ spentTable: { id: "id", expires: "expires" } as never }, "spentTable must be a table"],
      [
        { spentTable: sqliteTable("s", { id: text(), expires: text() }) },
        `spentTable.expires must be a column for a date`,
      ],
      [
        {
          verificationTokensTable: sqliteTable("v", { identifier: text(), token: text(), expires: integer() }),
        },
        "verificationTokensTable.expires must be a column for a date, in Drizzle's mode",
      ],
    ]
    for (const [tables, message] of refused) expect(() => DrizzleAdapter(db, tables)).toThrow(message)
  })

  it("takes a table without the columns that came later, and has no method for them", () => {
    const own = sqliteTable("authenticator", {
      credentialID: text().notNull(),
      userId: text().notNull(),
      providerAccountId: text().notNull(),
      credentialPublicKey: text().notNull(),
      counter: integer().notNull(),
      credentialDeviceType: text().notNull(),
      credentialBackedUp: integer({ mode: "boolean" }).notNull(),
      transports: text(),
    })
    expect(DrizzleAdapter(db, { ...schema, authenticatorsTable: own })).not.toHaveProperty("updateAuthenticator")
    expect(DrizzleAdapter(db, schema)).toHaveProperty("updateAuthenticator")
  })

  it("names the field of a date that cannot be read, and keeps no date that some database cannot", async () => {
    const adapter = DrizzleAdapter(db, schema)
    const { id } = await adapter.createUser(sampleUser())
    database.prepare("insert into session values ('broken', ?, 'soon')").run(id)
    await expect(adapter.getSessionAndUser("broken")).rejects.toThrow("expires holds no date that can be read")
    for (const date of [new Date(Number.NaN), new Date("+010000-01-01T00:00:00.000Z"), "2040-01-01"]) {
      const refused = adapter.createSession({ sessionToken: "t", userId: id, expires: date as Date })
      await expect(refused).rejects.toThrow("expires must be a date that its column can hold")
    }
  })

  it("ADP-07: does not ask a cache of the host, in which an ended session would live on", async () => {
    const cache = new EverythingCache()
    const cached = openTables({ cache })
    const adapter = DrizzleAdapter(cached.db, schema)
    const { id } = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: id, userId: id, expires })
    expect(await adapter.getSessionAndUser(id)).not.toBeNull()
    cached.database.exec("delete from session")
    expect([await adapter.getSessionAndUser(id), await adapter.listAccountsByUserId(id)]).toEqual([null, []])
    expect(cache.asked).toBe(0)
    await cached.db.select().from(schema.usersTable)
    expect(cache.asked).toBe(1)
  })
})

function openTables(config: DrizzleConfig = {}): OpenSqlite {
  const opened = openNodeSqlite(config)
  for (const statement of createStatements(tablesOf(schema), getTableConfig)) opened.database.exec(statement)
  return opened
}
