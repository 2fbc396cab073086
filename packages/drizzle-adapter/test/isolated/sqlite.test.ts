import { DatabaseSync } from "node:sqlite"
import { DatabaseFailure, DrizzleAdapter, isUniqueViolation } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import { featureMethods, testAdapter } from "@latchkey/testkit/adapter"
import { drizzle } from "drizzle-orm/durable-sqlite"
import { describe, expect, it } from "vitest"
import { createSqliteTables, openNodeSqlite, openTables, sampleUser } from "../fixtures.js"

/** Drizzle's transactions in SQLite share the connection with all other statements, or run synchronous work only. */
const needingTransactions = ["createSessionDetail", "endSessions", "transaction"] as const

process.env["TZ"] = "America/St_Johns"

describe("SQLite", () => {
  const { db } = openTables()

  testAdapter({
    name: "with all tables",
    create: () => ({ adapter: DrizzleAdapter(db, schema) }),
    without: needingTransactions,
  })
})

/** The tables of the ecosystem's adapter, without our additional columns and tables. */
const ecosystemTables = `
  create table user (id text primary key, name text, email text unique, emailVerified integer, image text);
  create table account (
    userId text not null references user (id) on delete cascade, type text not null, provider text not null,
    providerAccountId text not null, refresh_token text, access_token text, expires_at integer, token_type text,
    scope text, id_token text, session_state text, primary key (provider, providerAccountId)
  );
  create table session (
    sessionToken text primary key, userId text not null references user (id) on delete cascade, expires integer not null
  );
  create table verificationToken (
    identifier text not null, token text not null, expires integer not null, primary key (identifier, token)
  );
  create table authenticator (
    credentialID text not null unique, userId text not null references user (id) on delete cascade,
    providerAccountId text not null, credentialPublicKey text not null, counter integer not null,
    credentialDeviceType text not null, credentialBackedUp integer not null, transports text,
    primary key (userId, credentialID)
  );`

describe("DrizzleAdapter without tables", () => {
  const { db, database } = openNodeSqlite()
  database.exec(ecosystemTables)

  testAdapter({
    name: "on the ecosystem's tables",
    create: () => ({ adapter: DrizzleAdapter(db) }),
    without: [
      ...(["updateAuthenticator", "consumeOnce", "markEmailVerified", "isEmailVerified"] as const),
      ...featureMethods.filter((method) => !["replaceTokens", "replaceEmail"].includes(method)),
    ],
  })
})

describe("a connection that ignores foreign keys", () => {
  it("deletes no user, whose records would stay", async () => {
    const { db, database } = openTables()
    const adapter = DrizzleAdapter(db, schema)
    const user = await adapter.createUser(sampleUser())
    database.exec("pragma foreign_keys = off")
    await expect(adapter.deleteUser(user.id)).rejects.toThrow("foreign_keys = on")
    expect(await adapter.getUser(user.id)).toMatchObject(user)
    database.exec("pragma foreign_keys = on")
    expect(await adapter.deleteUser(user.id)).toMatchObject(user)
  })
})

/** The part of the storage of Durable Objects that Drizzle's driver uses, on `node:sqlite`. */
function storageOf(database: DatabaseSync) {
  const run = (text: string, parameters: readonly (string | number | null)[], asArrays: boolean) => {
    const statement = database.prepare(text)
    statement.setReturnArrays(asArrays)
    return statement.all(...parameters)
  }
  return {
    sql: {
      exec(text: string, ...parameters: (string | number | null)[]) {
        const raw = () => ({ toArray: () => run(text, parameters, true) })
        return { raw, toArray: () => run(text, parameters, false) }
      },
    },
  }
}

describe("a synchronous driver, such as better-sqlite3 or Durable Objects", () => {
  const database = new DatabaseSync(":memory:")
  createSqliteTables(database)
  const adapter = DrizzleAdapter(drizzle(storageOf(database)), schema)

  testAdapter({ create: () => ({ adapter }), without: needingTransactions })

  it("recognizes a unique violation, and throws no driver's error", async () => {
    const { email } = await adapter.createUser(sampleUser())
    const taken: unknown = await adapter.createUser(sampleUser({ email })).catch((error: unknown) => error)
    expect([taken instanceof DatabaseFailure, isUniqueViolation(taken)]).toEqual([true, true])
  })

  it("counts the expired rows that it removes", async () => {
    const instant = new Date("2030-01-01T00:00:00.000Z")
    await adapter.removeExpired(instant)
    const { id } = await adapter.createUser(sampleUser())
    for (const offset of [-1, 0, 1]) {
      const expires = new Date(instant.getTime() + offset)
      await adapter.createSession({ sessionToken: `s${offset}`, userId: id, expires })
      await adapter.createVerificationToken({ identifier: "a@example.com", token: `t${offset}`, expires })
      await adapter.consumeOnce?.(`x${offset}`, expires)
    }
    expect([await adapter.removeExpired(instant), await adapter.removeExpired(instant)]).toEqual([3, 0])
    expect(await adapter.getSessionAndUser("s0")).not.toBeNull()
  })

  it("removes many expired rows in batches, between which the process answers requests", async () => {
    const instant = new Date("2025-01-01T00:00:00.000Z")
    const [past, later] = [-1, 1].map((offset) => new Date(instant.getTime() + offset))
    for (let n = 0; n < 900; n++) {
      const expires = (n % 3 === 0 ? later : past) as Date // as: there are two
      await adapter.createVerificationToken({ identifier: n < 600 ? "a@example.com" : `${n}`, token: `m${n}`, expires })
      await adapter.consumeOnce?.(`many-${n}`, expires)
    }
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    expect(await adapter.removeExpired(instant)).toBe(1_200)
    clearInterval(timer)
    expect(turns).toBeGreaterThanOrEqual(4)
    expect(await adapter.removeExpired(instant)).toBe(0)
    expect(await adapter.removeExpired(new Date(instant.getTime() + 2))).toBe(600)
  })
})
