import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { run } from "../src/run.js"

const names = ["0001_create_tables", "0002_passkeys", "0003_proven_emails"]
const made = names.map((name) => `made: ${name}\n`).join("")

describe("latchkey migrate", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-cli-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const latchkey = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const texts = { said: "", complained: "" }
    const code = await run(args, {
      folder,
      environment,
      say: (text) => {
        texts.said += text
      },
      complain: (text) => {
        texts.complained += text
      },
    })
    return { code, ...texts }
  }
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
    [["melt"], 'no command "melt"'],
    [["migrate"], "Which database?"],
    [["migrate", "--url", "oracle:x"], "A URL begins with"],
    [["migrate", "--url", "sqlite:a.db", "--down", "--to", "none"], "exclude one another"],
    [["migrate", "--force"], "--force"],
    [["migrate", "--database", "mysql"], "--print alone"],
    [["migrate", "--database", "oracle", "--print"], "sqlite, postgres or mysql"],
    [["migrate", "--config", "missing.js"], "There is no file"],
  ])("refuses %j with exit code 2, and says why", async (args, reason) => {
    const { code, said, complained } = await latchkey(args)
    expect([code, said]).toEqual([2, ""])
    expect(complained).toContain(reason)
  })

  it("refuses a database that a newer version has migrated, and changes nothing", async () => {
    await onFile()
    inFile((database) =>
      database.exec("insert into latchkey_migration values ('9999_future', '2050-01-01T00:00:00.000Z')"),
    )
    for (const args of [[], ["--print"], ["--down"], ["--to", "none"]]) {
      const { code, said, complained } = await onFile(...args)
      expect([code, said]).toEqual([1, ""])
      expect(complained).toContain("newer version, which made 9999_future")
    }
    expect(tables()).toContain("User")
  })

  it("refuses a database whose tables of the same names are others, and changes nothing", async () => {
    inFile((database) => database.exec(`create table "User" (id text, login text)`))
    const { code, complained } = await onFile()
    expect([code, complained]).toEqual([
      1,
      "The table User is another one than it should be: it has no name, email, emailVerified, image\n",
    ])
    expect(tables()).toEqual(["User"])
  })

  it("refuses a migration that does not exist", async () => {
    for (const args of [
      ["--to", "0000_nothing"],
      ["--to", "0000_nothing", "--print"],
    ]) {
      const { code, complained } = await onFile(...args)
      expect(code).toBe(1)
      expect(complained).toContain("0000_nothing")
    }
  })

  it("says nothing of the password when the database cannot be reached", async () => {
    for (const scheme of ["postgres", "mysql"]) {
      const { code, complained } = await latchkey(["migrate", "--url", `${scheme}://app:hunter2@127.0.0.1:1/app`])
      expect(code).toBe(1)
      expect(complained).toContain("ECONNREFUSED")
      expect(complained).not.toContain("hunter2")
    }
  })

  it("makes the tables, and has nothing to do after that", async () => {
    expect(await onFile()).toEqual({ code: 0, said: made, complained: "" })
    expect(await onFile()).toEqual({ code: 0, said: "Nothing to do.\n", complained: "" })
    expect(tables()).toContain("VerificationToken")
  })

  it("takes the last migration back, goes to one by name, and drops everything when told to", async () => {
    await onFile()
    expect((await onFile("--down")).said).toBe("taken back: 0003_proven_emails\n")
    expect((await onFile("--to", "0001_create_tables")).said).toBe("taken back: 0002_passkeys\n")
    expect((await onFile("--to", "0002_passkeys")).said).toBe("made: 0002_passkeys\n")
    expect((await onFile("--to", "none")).said).toBe("taken back: 0002_passkeys\ntaken back: 0001_create_tables\n")
    expect(tables().filter((name) => !name.startsWith("latchkey"))).toEqual([])
  })

  it("prints the SQL of what it would do, and makes not even the file", async () => {
    const { said } = await onFile("--print")
    expect(said).toMatch(/^begin;\n/)
    expect(() => new DatabaseSync(join(folder, "app.db"), { readOnly: true })).toThrow()
    inFile((database) => database.exec(said))
    expect((await onFile()).said).toBe("Nothing to do.\n")
    expect((await onFile("--print")).said).toBe("")
    inFile((database) => database.exec("delete from latchkey_migration where name = '0003_proven_emails'"))
    expect((await onFile("--print", "--down")).said).toContain(`drop table if exists "Spent"`)
    expect((await onFile("--print")).said).toContain(`create table if not exists "ProvenEmail"`)
  })

  it.each(["sqlite", "postgres", "mysql"])("prints the SQL for an empty %s without asking one", async (kind) => {
    const { code, said } = await latchkey(["migrate", "--print", "--database", kind])
    expect(code).toBe(0)
    for (const name of names) expect(said).toContain(name)
  })

  it("takes the database and the names of the tables from a configuration", async () => {
    const config = { url: "sqlite:app.db", tables: { user: { name: "people" }, spent: false } }
    writeFileSync(join(folder, "latchkey.config.mjs"), `export default ${JSON.stringify(config)}`)
    expect((await latchkey(["migrate"])).said).toBe(made)
    expect(tables()).toContain("people")
    expect(tables()).not.toContain("Spent")
    writeFileSync(join(folder, "other.mjs"), "export const url = 'sqlite:app.db'")
    expect(await latchkey(["migrate", "--config", "other.mjs"])).toMatchObject({ code: 2 })
  })

  it("takes the database from DATABASE_URL", async () => {
    expect((await latchkey(["migrate"], { DATABASE_URL: "file:app.db" })).said).toBe(made)
  })

  it("migrates a folder of PGlite", async () => {
    const onPglite = (...args: string[]) => latchkey(["migrate", "--url", "pglite:data", ...args])
    expect((await onPglite()).said).toBe(made)
    expect((await onPglite("--print", "--down")).said).toContain(`drop table if exists "ProvenEmail"`)
  }, 30_000)

  it("says how it is used", async () => {
    expect((await latchkey(["--help"])).said).toContain("Usage: latchkey <command>")
    expect((await latchkey(["migrate", "--help"])).said).toContain("Usage: latchkey migrate")
  })
})
