import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runHere } from "./command.js"

const names = ["0001_create_tables", "0002_passkeys", "0003_proven_emails", "0004_features", "0005_account_changes"]
const applied = names.map((name) => `applied: ${name}\n`).join("")

describe("latchkey migrate", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-cli-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const latchkey = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runHere(args, { folder, environment })
  const onFile = (...args: string[]) => latchkey(["migrate", "--url", "sqlite:app.db", ...args])
  const inFile = <T>(use: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(join(folder, "app.db"))
    try {
      return use(database)
    } finally {
      database.close()
    }
  }
  const tables = () =>
    inFile((database) => database.prepare("select name from sqlite_schema where type = 'table'").all()).map((row) =>
      String(row["name"]),
    )

  it.each([
    [[], "Usage"],
    [["melt"], 'Unknown command "melt"'],
    [["migrate"], "No database given. Pass --url, set DATABASE_URL, or write url into latchkey.config.ts"],
    [["migrate", "--url", "oracle:x"], "must start with"],
    [["migrate", "--url", "sqlite:a.db", "--down", "--to", "none"], "not both"],
    [["migrate", "--force"], "--force"],
    [["migrate", "--database", "mysql"], "only be combined with --print"],
    [["migrate", "--database", "oracle", "--print"], "sqlite, d1, postgres or mysql"],
    [["migrate", "--config", "missing.js"], "does not exist"],
  ])("rejects %j with exit code 2 and the reason", async (args, reason) => {
    const { code, output, errors } = await latchkey(args)
    expect([code, output]).toEqual([2, ""])
    expect(errors).toContain(reason)
  })

  it.each([
    [["migrate", "postgres://app:hunter2@db.test/app"], "--url"],
    [["postgres://app:hunter2@db.test/app"], "Unknown command.\n"],
    [["breached", "postgres://app:hunter2@db.test/app"], "Usage"],
  ])("rejects %j without repeating the password", async (args, reason) => {
    const { code, output, errors } = await latchkey(args)
    expect([code, output]).toEqual([2, ""])
    expect(errors).toContain(reason)
    expect(errors).not.toContain("hunter2")
  })

  it("rejects a database that a newer version has migrated, and changes nothing", async () => {
    await onFile()
    inFile((database) =>
      database.exec("insert into latchkey_migration values ('9999_future', '2050-01-01T00:00:00.000Z')"),
    )
    for (const args of [[], ["--print"], ["--down"], ["--to", "none"]]) {
      const { code, output, errors } = await onFile(...args)
      expect([code, output]).toEqual([1, ""])
      expect(errors).toContain("newer version, with the migration 9999_future")
    }
    expect(tables()).toContain("User")
  })

  it("rejects a database with other tables of the same names, and changes nothing", async () => {
    inFile((database) => database.exec(`create table "User" (id text, login text)`))
    const { code, errors } = await onFile()
    expect([code, errors]).toEqual([
      1,
      "The table User belongs to another schema: it lacks the columns name, email, emailVerified, image. Give one of the two another name\n",
    ])
    expect(tables()).toEqual(["User"])
  })

  it("rejects an unknown migration", async () => {
    for (const args of [
      ["--to", "0000_nothing"],
      ["--to", "0000_nothing", "--print"],
    ]) {
      const { code, errors } = await onFile(...args)
      expect(code).toBe(1)
      expect(errors).toContain("0000_nothing")
    }
  })

  it("does not print the password when the database cannot be reached", async () => {
    for (const scheme of ["postgres", "mysql"]) {
      const { code, errors } = await latchkey(["migrate", "--url", `${scheme}://app:hunter2@127.0.0.1:1/app`])
      expect(code).toBe(1)
      expect(errors).toContain("ECONNREFUSED")
      expect(errors).not.toContain("hunter2")
    }
  })

  it("creates the tables, and then has nothing to do", async () => {
    expect(await onFile()).toEqual({ code: 0, output: applied, errors: "" })
    expect(await onFile()).toEqual({ code: 0, output: "Nothing to do.\n", errors: "" })
    expect(tables()).toContain("VerificationToken")
  })

  it("reverts the last migration, goes to a migration by name, and drops everything with --to none", async () => {
    await onFile()
    expect((await onFile("--down")).output).toBe("reverted: 0005_account_changes\n")
    expect((await onFile("--to", "0001_create_tables")).output).toBe(
      "reverted: 0004_features\nreverted: 0003_proven_emails\nreverted: 0002_passkeys\n",
    )
    expect((await onFile("--to", "0002_passkeys")).output).toBe("applied: 0002_passkeys\n")
    expect((await onFile("--to", "none")).output).toBe("reverted: 0002_passkeys\nreverted: 0001_create_tables\n")
    expect(tables().filter((name) => !name.startsWith("latchkey"))).toEqual([])
  })

  it("prints the SQL without creating the file", async () => {
    const { output } = await onFile("--print")
    expect(output).toMatch(/^begin;\n/)
    const { output: first } = await onFile("--print", "--to", "0001_create_tables")
    expect(first).toContain(`create table if not exists "User"`)
    expect(first).not.toContain("ProvenEmail")
    expect((await onFile("--print", "--to", "none")).output).toBe("")
    expect(() => new DatabaseSync(join(folder, "app.db"), { readOnly: true })).toThrow()
    inFile((database) => database.exec(output))
    expect((await onFile()).output).toBe("Nothing to do.\n")
    expect((await onFile("--print")).output).toBe("")
    inFile((database) => database.exec("delete from latchkey_migration where name > '0003'"))
    expect((await onFile("--print", "--down")).output).toContain(`drop table if exists "Spent"`)
    expect((await onFile("--print")).output).toContain(`create table if not exists "ProvenEmail"`)
  })

  it.each(["sqlite", "postgres", "mysql"])(
    "prints the SQL for an empty %s database without connecting",
    async (kind) => {
      const { code, output } = await latchkey(["migrate", "--print", "--database", kind])
      expect(code).toBe(0)
      for (const name of names) expect(output).toContain(name)
    },
  )

  it("reads the database and the names of the tables from a configuration", async () => {
    const config = { url: "sqlite:app.db", tables: { user: { name: "people" }, spent: false } }
    writeFileSync(join(folder, "latchkey.config.mjs"), `export default ${JSON.stringify(config)}`)
    expect((await latchkey(["migrate"])).output).toBe(applied)
    expect(tables()).toContain("people")
    expect(tables()).not.toContain("Spent")
    writeFileSync(join(folder, "other.mjs"), "export const url = 'sqlite:app.db'")
    expect(await latchkey(["migrate", "--config", "other.mjs"])).toMatchObject({ code: 2 })
  })

  it("reads the database from DATABASE_URL", async () => {
    expect((await latchkey(["migrate"], { DATABASE_URL: "file:app.db" })).output).toBe(applied)
  })

  it("DBS-13: creates a file of SQLite that only its owner can read", async () => {
    await onFile()
    expect(statSync(join(folder, "app.db")).mode & 0o777).toBe(0o600)
  })

  it("decodes the URL of a file", async () => {
    const { href } = pathToFileURL(join(folder, "my app.db"))
    expect((await latchkey(["migrate", "--url", href])).output).toBe(applied)
    expect(existsSync(join(folder, "my app.db"))).toBe(true)
  })

  it("prints its usage", async () => {
    expect((await latchkey(["--help"])).output).toContain("Usage: latchkey <command>")
    expect((await latchkey(["migrate", "--help"])).output).toContain("Usage: latchkey migrate")
  })
})
