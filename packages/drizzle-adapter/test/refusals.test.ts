import { DrizzleAdapter, type DrizzleTables } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import { Cache } from "drizzle-orm/cache/core"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { describe, expect, it } from "vitest"
import { expires, openTables, sampleUser } from "./fixtures.js"

/** A host's cache that keeps every answer forever. */
class EverythingCache extends Cache {
  asked = 0
  readonly #kept = new Map<string, unknown[]>()

  override strategy(): "all" {
    return "all"
  }

  override async get(key: string): Promise<unknown[] | undefined> {
    this.asked += 1
    return this.#kept.get(key)
  }

  override async put(key: string, response: unknown[]): Promise<void> {
    this.#kept.set(key, response)
  }

  override async onMutate(): Promise<void> {}
}

describe("DrizzleAdapter", () => {
  const { db, database } = openTables()

  it("rejects a value that is not a Drizzle database", () => {
    for (const other of [database, {}, null, "postgres://db"]) {
      expect(() => DrizzleAdapter(other as never)).toThrow("db must be a Drizzle database")
    }
  })

  it("rejects a timeout that timers do not support", () => {
    for (const timeoutMilliseconds of [0, Number.POSITIVE_INFINITY]) {
      expect(() => DrizzleAdapter(db, {}, { timeoutMilliseconds })).toThrow("timeoutMilliseconds: must be")
    }
  })

  it("names a table option that is not a table or lacks a column", () => {
    const refused: readonly [DrizzleTables, string][] = [
      [{ sessionsTable: sqliteTable("s", { sessionToken: text(), userId: text() }) as never }, "sessionsTable.expires"],
      [{ spentTable: { id: "id", expires: "expires" } as never }, "spentTable must be a Drizzle table"],
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

  it("accepts an authenticator table without name and lastUsedAt, and then has no updateAuthenticator", () => {
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

  it("names the field with an invalid date, and rejects dates that not every database can store", async () => {
    const adapter = DrizzleAdapter(db, schema)
    const { id } = await adapter.createUser(sampleUser())
    database.prepare("insert into session values ('broken', ?, 'soon')").run(id)
    await expect(adapter.getSessionAndUser("broken")).rejects.toThrow("expires contains no valid date")
    for (const date of [new Date(Number.NaN), new Date("+010000-01-01T00:00:00.000Z"), "2040-01-01"]) {
      const refused = adapter.createSession({ sessionToken: "t", userId: id, expires: date as Date })
      await expect(refused).rejects.toThrow("expires must be a date that its column can hold")
    }
  })

  it("ADP-07: bypasses the host's cache, which could keep an ended session alive", async () => {
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
