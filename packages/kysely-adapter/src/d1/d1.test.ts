import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, it } from "vitest"
import { type D1Database, type D1PreparedStatement, d1 } from "./d1.js"

let database: DatabaseSync
beforeEach(() => {
  database = new DatabaseSync(":memory:")
})

/** A binding over SQLite, whose errors are those of D1. */
function openBinding(suffix: string): D1Database {
  const call = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : ""}${suffix}`)
    }
  }
  const prepare = (sql: string): D1PreparedStatement => ({
    bind: () => prepare(sql),
    run: async () => {
      call(() => database.exec(sql))
      return { meta: {} }
    },
    raw: async () =>
      call(() =>
        database
          .prepare(sql)
          .all()
          .map((row) => Object.values(row)),
      ),
  })
  return {
    prepare,
    async batch(statements) {
      database.exec("begin")
      try {
        const results = []
        for (const statement of statements) results.push(await statement.run())
        database.exec("commit")
        return results
      } catch (error) {
        database.exec("rollback")
        throw error
      }
    },
  }
}

const suffixes = [": SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)", ": SQLITE_CONSTRAINT", ""]

describe.each(suffixes)("migrate of a D1 database whose errors end with %j", (suffix) => {
  it("names the users of duplicate addresses, and no address or token, and changes nothing", async () => {
    database.exec(`create table "User" (id text, name text, email text, emailVerified text, image text);
      insert into "User" (id, email) values ('u-1', 'ada@example.com'), ('u-2', 'ada@example.com'), ('u-3', null);
      create table "VerificationToken" (identifier text, token text, expires text);
      insert into "VerificationToken" values ('ada@example.com', 't0ken', '1'), ('ada@example.com', 't0ken', '2')`)
    const tables = () => database.prepare("select name from sqlite_master where type = 'table' order by name").all()
    const before = tables()
    const failure = await d1(openBinding(suffix))
      .migrate()
      .catch((error: unknown) => error)
    expect(String(failure)).toContain(
      "Remove the duplicates, then migrate again. User has several rows with the same email. Their users: u-1 and u-2. VerificationToken has several rows with the same identifier, token.",
    )
    expect(String(failure)).not.toMatch(/ada@|t0ken/)
    expect(tables()).toEqual(before)
    database.exec(`delete from "User" where id = 'u-2'; delete from "VerificationToken" where expires = '2'`)
    expect((await d1(openBinding(suffix)).migrate()).length).toBeGreaterThan(0)
    expect(await d1(openBinding(suffix)).migrate()).toEqual([])
  })

  it("passes other errors on as they are", async () => {
    const binding = openBinding(suffix)
    const batch = async () => Promise.reject(new Error("D1_ERROR: no more storage"))
    await expect(d1({ ...binding, batch }).migrate()).rejects.toThrow(/^D1_ERROR: no more storage$/)
  })
})
