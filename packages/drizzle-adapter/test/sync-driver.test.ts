import { DatabaseSync } from "node:sqlite"
import { DatabaseFailure, DrizzleAdapter, isUniqueViolation } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import { drizzle } from "drizzle-orm/durable-sqlite"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { describe, expect, it } from "vitest"
import { createStatements, tablesOf } from "./create-tables.js"
import { sampleUser } from "./samples.js"

/** What Drizzle's driver for Durable Objects uses of their storage, over the SQLite that Node carries. */
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

describe("a driver that answers at once, as those of SQLite within a process do", () => {
  const database = new DatabaseSync(":memory:")
  for (const statement of createStatements(tablesOf(schema), getTableConfig)) database.exec(statement)
  const adapter = DrizzleAdapter(drizzle(storageOf(database)), schema)

  testAdapter({ create: () => ({ adapter }) })

  it("tells a unique value that is taken, and lets no driver's error out", async () => {
    const { email } = await adapter.createUser(sampleUser())
    const taken: unknown = await adapter.createUser(sampleUser({ email })).catch((error: unknown) => error)
    expect([taken instanceof DatabaseFailure, isUniqueViolation(taken)]).toEqual([true, true])
  })

  it("counts what it removes", async () => {
    const instant = new Date("2030-01-01T00:00:00.000Z")
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
})
