import { createRequire } from "node:module"
import { isUniqueViolation } from "@latchkey/adapter-kit"
import { DrizzleError, DrizzleQueryError } from "drizzle-orm"
import { describe, expect, it } from "vitest"
import { toDatabaseFailure } from "./database-failure.js"

const query = 'insert into "user" ("id", "email") values ($1, $2)'

/** An error as Drizzle throws it, with the parameters in its message. */
function drizzleError(message: string, fields: object = {}): DrizzleQueryError {
  return new DrizzleQueryError(query, ["hunter2"], Object.assign(new Error(message), fields))
}

describe("toDatabaseFailure", () => {
  it.each([
    ["Duplicate entry 'hunter2' for key 'user.email'", { code: "ER_DUP_ENTRY", sql: "hunter2" }],
    ["Duplicate entry 'it's hunter2' for key 'user'", { code: "ER_DUP_ENTRY" }],
    ['invalid input syntax for type uuid: "hunter2"', { code: "22P02", detail: "hunter2" }],
    ["syntax error\nnear hunter2", { code: "ER_PARSE_ERROR" }],
  ])("LOG-02: contains no value from the message %s", (message, fields) => {
    const failure = toDatabaseFailure(drizzleError(message, fields))
    expect(failure.message).not.toContain("hunter2")
    expect(failure.message).toContain(`(${fields.code}) in: ${query}`)
    expect([failure.cause, failure.code, Object.keys(failure).toSorted()]).toEqual([
      undefined,
      fields.code,
      ["code", "name"],
    ])
  })

  it("contains names of tables and columns", () => {
    const failure = toDatabaseFailure(
      drizzleError('column "email" of relation "user" does not exist', { code: "42703" }),
    )
    expect(failure.message).toBe(
      `Drizzle: column "email" of relation "user" does not exist (42703) in: ${query}. The database was not migrated: run \`npx --no drizzle-kit migrate\` before the app starts`,
    )
  })

  it.each([
    ['relation "spent" does not exist', { code: "42P01" }],
    ["Table 'app.spent' doesn't exist", { code: "ER_NO_SUCH_TABLE" }],
    ["no such table: spent", { code: "ERR_SQLITE_ERROR", errcode: 1 }],
    ["Unknown column 'user.email' in 'field list'", { code: "ER_BAD_FIELD_ERROR" }],
  ])("says how to migrate the database after %s", (message, fields) => {
    expect(toDatabaseFailure(drizzleError(message, fields)).message).toContain("run `npx --no drizzle-kit migrate`")
  })

  it("finds the driver's error in nested Drizzle errors, and accepts an error without one", () => {
    const nested = new DrizzleError({
      message: "Failed to run the query",
      cause: drizzleError("away", { code: "EPIPE" }),
    })
    expect(toDatabaseFailure(nested).message).toBe(`Drizzle: away (EPIPE) in: ${query}`)
    expect(toDatabaseFailure(new Error("connect ECONNREFUSED")).message).toBe("Drizzle: connect ECONNREFUSED")
    expect(toDatabaseFailure("hunter2").message).toBe("Drizzle: the driver failed without a message")
  })

  it("finds the driver's error in those of another copy of Drizzle, as a CommonJS app has", () => {
    // as: the same, in the other module format.
    const commonJs = createRequire(import.meta.url)("drizzle-orm") as typeof import("drizzle-orm")
    expect(commonJs.DrizzleQueryError).not.toBe(DrizzleQueryError)
    const cause = new commonJs.DrizzleQueryError(
      query,
      ["hunter2"],
      Object.assign(new Error("away"), { code: "EPIPE" }),
    )
    for (const error of [cause, new commonJs.DrizzleError({ message: "Failed to run the query", cause })])
      expect(toDatabaseFailure(error).message).toBe(`Drizzle: away (EPIPE) in: ${query}`)
  })

  it("uses the errcode of node:sqlite", () => {
    const failure = toDatabaseFailure(
      drizzleError("UNIQUE constraint failed: user.email", { code: "E", errcode: 2067 }),
    )
    expect([failure.code, isUniqueViolation(failure), isUniqueViolation({ cause: { err: failure } })]).toEqual([
      2067,
      true,
      true,
    ])
    expect(isUniqueViolation(toDatabaseFailure(drizzleError("gone", { code: "57P01" })))).toBe(false)
  })
})
