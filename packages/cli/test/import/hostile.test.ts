import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Adapter, AdapterAccount, AdapterUser } from "@latchkey/core/adapters"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, describe, expect, it } from "vitest"
import { openSourceDatabase } from "../../src/import/source-tables.js"
import { openNextAuth } from "../../src/import/sources/next-auth.js"
import { openReport } from "../../src/import/written-files.js"
import { runHere } from "../command.js"
import { createApp, hashOf, newPath, readReport, removeFiles, writeLines } from "./app.js"
import { makeFolder } from "./source-fixtures.js"

afterAll(removeFiles)

/** A store of keys and values, as some of Auth.js are: a new row takes the place of the one that has its key. */
function createOverwritingStore(): Adapter {
  const users = new Map<string, AdapterUser>()
  const addresses = new Map<string, string>()
  const accounts = new Map<string, AdapterAccount>()
  const toKey = ({ provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">) =>
    JSON.stringify([provider, providerAccountId])
  const find = (id: string | undefined) => users.get(id ?? "") ?? null
  return {
    createUser(user) {
      users.set(user.id, user)
      addresses.set(user.email, user.id)
      return user
    },
    getUser: find,
    getUserByEmail: (email) => find(addresses.get(email)),
    getUserByAccount: (account) => find(accounts.get(toKey(account))?.userId),
    linkAccount(account) {
      accounts.set(toKey(account), account)
      return account
    },
    deleteUser: async (id) => void users.delete(id),
  }
}

describe("latchkey import of what somebody here has", () => {
  it("MIG-22: takes over no address, account or id in a store that overwrites them", async () => {
    const adapter = createOverwritingStore()
    const account = { provider: "github", providerAccountId: "7" }
    await adapter.createUser?.({ id: "own", email: "a@example.com", emailVerified: null })
    await adapter.linkAccount?.({ ...account, userId: "own", type: "oauth" })
    const report = newPath()
    const path = writeLines([
      { id: "thief", email: "A@Example.com", emailVerified: "2024-01-01T00:00:00Z" },
      { id: "other", email: "other@example.com", accounts: [account] },
      { id: "own", email: "mallory@example.com", accounts: [{ provider: "github", providerAccountId: "8" }] },
      { id: "new", email: "new@example.com", accounts: [{ provider: "github", providerAccountId: "9" }] },
    ])
    const { code, output } = await createApp(adapter).run(path, "--report", report)
    expect([code, readReport(report).map(({ id }) => id)]).toEqual([1, ["thief", "other"]])
    expect(output).toContain("Of those, 1 has another address here")
    const own = { id: "own", email: "a@example.com" }
    expect(await adapter.getUserByEmail?.("a@example.com")).toMatchObject(own)
    expect(await adapter.getUserByAccount?.(account)).toMatchObject(own)
    expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: "8" })).toBeNull()
    expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: "9" })).toMatchObject({
      id: "new",
    })
  })

  it("MIG-22: adds nothing to another person with the same id when an interrupted import goes on", async () => {
    const { transaction: _, ...adapter } = sqlite(":memory:")
    await adapter.createUser({ id: "1", email: "alice@example.com", emailVerified: null })
    // as: the column may be null.
    const withoutAddress = { email: null as unknown as string, emailVerified: null }
    await adapter.createUser({ id: "2", name: "Bob", ...withoutAddress })
    const path = writeLines([
      {
        id: "1",
        email: "mallory@example.com",
        emailVerified: "2024-01-01T00:00:00Z",
        password: hashOf(1),
        totp: [{ secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }],
        accounts: [{ provider: "github", providerAccountId: "666" }],
      },
      { id: "2", name: "Mallory", accounts: [{ provider: "github", providerAccountId: "667" }] },
    ])
    const { code, output } = await createApp(adapter).run(path, "--resume")
    expect([code, output]).toEqual([0, expect.stringContaining("2 are here already")])
    for (const providerAccountId of ["666", "667"])
      expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId })).toBeNull()
    expect(await adapter.getPassword?.("1")).toBeNull()
    expect(await adapter.listFactors?.("1")).toEqual([])
  })
})

describe("latchkey import --dry-run", () => {
  const passkey = { credentialId: "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u-a_OVYvAxNg", counter: 1 }
  const publicKey = "pAEBAycgBiFYINGAaQ3chAu4DJ9y9Xkof8xw/1JR1jfvR265SxltH+ou"
  const lines = [
    { id: "here", email: "here@example.com" },
    { id: "1", email: "Own@Example.com" },
    { id: "2", email: "a@example.com", accounts: [{ provider: "github", providerAccountId: "7" }] },
    { id: "3", email: "A@example.com", accounts: [{ provider: "github", providerAccountId: "8" }] },
    { id: "4", email: "b@example.com", accounts: [{ provider: "github", providerAccountId: "8" }] },
    { id: "5", email: "b@example.com", passkeys: [{ ...passkey, publicKey }] },
    { id: "6", email: "c@example.com", passkeys: [{ ...passkey, publicKey }] },
    { id: "7", email: "c@example.com", password: hashOf(1) },
    { id: "8", email: "d@example.com", password: hashOf(1) },
    { id: "8", email: "e@example.com" },
    { id: "9", fields: { role: { a: 1 } } },
    { id: "10", accounts: [{ provider: "github", providerAccountId: "7" }] },
    "{",
  ]

  it.each([1000, 3])("refuses the rows that the import refuses (batches of %i)", async (size) => {
    const store = sqlite(":memory:", { user: { extra: { role: "text" } } })
    store.database.exec('alter table "User" add column role text')
    await store.createUser({ id: "here", email: "here@example.com", emailVerified: null })
    await store.createUser({ id: "own", email: "own@example.com", emailVerified: null })
    const { run } = createApp(store)
    const path = writeLines(lines)
    const results = []
    for (const args of [["--dry-run"], []]) {
      const report = newPath()
      const { code, output } = await run(path, "--report", report, "--batch", String(size), ...args)
      const counts =
        /(\d+) users? (?:would be )?imported[\s\S]*?(\d+ is here already)[\s\S]*?(\d+) rows were refused/.exec(output)
      results.push([code, counts?.slice(1), readReport(report).map(({ id, line }) => [id, line])])
    }
    expect(results[0]).toEqual(results[1])
    expect(results[1]).toMatchObject([1, ["3", "1 is here already", "9"], expect.anything()])
  })
})

describe("the address of an imported user", () => {
  it("MIG-22: is refused if another user has it in the form of the source, as apps stored it before", async () => {
    const { adapter, run } = createApp()
    await adapter.createUser?.({ id: "own", email: "Bob@Example.com", emailVerified: null })
    const report = newPath()
    const path = writeLines([{ id: "new", email: "Bob@Example.com" }])
    for (const args of [["--dry-run"], ["--batch", "10"]]) {
      expect((await run(path, "--report", report, ...args)).code).toBe(1)
      expect(readReport(report)).toMatchObject([{ id: "new", reason: "Another user here has the address" }])
    }
    expect(await adapter.getUser?.("new")).toBeNull()
  })
})

describe("the store of latchkey import", () => {
  it("MIG-22: is refused without a unique index, and a collation that takes ids for equal is told", async () => {
    const store = sqlite(":memory:")
    const path = writeLines([{ id: "a", email: "a@example.com" }])
    const withDefect = (kind: "index" | "collation") => {
      const findStoreDefects = async () => [{ kind, sentence: "Something is wrong", statement: "create it" }]
      return createApp({ ...store, findStoreDefects } as Adapter).run(path)
    }
    const { code, errors } = await withDefect("index")
    expect([code, errors]).toEqual([2, expect.stringMatching(/^Something is wrong: .* create it$/)])
    expect(await store.getUser("a")).toBeNull()
    expect((await withDefect("collation")).output).toContain("Something is wrong.")
    expect(await store.getUser("a")).not.toBeNull()
  })

  it("is blamed for a table that is missing, and no row is", async () => {
    const store = sqlite(":memory:")
    store.database.exec('drop table "Account"')
    const account = { provider: "github", providerAccountId: "1" }
    const report = newPath()
    const path = writeLines([{ id: "a", accounts: [account] }, { id: "b" }])
    expect((await createApp(store).run(path, "--report", report)).code).toBe(2)
    expect([readReport(report), await store.getUser("b")]).toEqual([[], null])
  })

  it("MIG-22: keeps ids and providers of any name apart, such as those of prototypes", async () => {
    const store = sqlite(":memory:")
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "u", "U", "u ", " u", "\u00fc", "u\u0308"]
    const lines = names.map((name, index) => ({
      id: name,
      email: `n${index}@example.com`,
      accounts: [{ provider: name.trim(), providerAccountId: name }],
    }))
    const map = newPath("ids.jsonl")
    const { run } = createApp(store)
    expect((await run(writeLines(lines), "--map", map)).code).toBe(0)
    expect((await run(writeLines(lines), "--map", map)).output).toContain("10 are here already")
    for (const [index, name] of names.entries()) {
      expect(await store.getUser(name)).toMatchObject({ id: name, email: `n${index}@example.com` })
      const account = { provider: name.trim(), providerAccountId: name }
      expect(await store.getUserByAccount(account)).toMatchObject({ id: name })
    }
  })
})

describe("the journal of latchkey import", () => {
  it("MIG-22: is not shared by two schemas or two tables of one database", async () => {
    const folder = makeFolder()
    new DatabaseSync(join(folder, "app.db")).exec("create table a (id text, email text); create table b (id text)")
    const open = async (argument: string, tables = {}) => {
      const source = await openSourceDatabase({ argument, folder, environment: {}, options: { tables } }, "Lucia")
      await source.close()
      return source.fingerprint
    }
    const own = await open("sqlite:app.db")
    expect(await open("sqlite:app.db")).toBe(own)
    expect(await open("sqlite:app.db", { user: "a" })).not.toBe(own)
    expect(await open("sqlite:app.db", { user: "b" })).not.toBe(await open("sqlite:app.db", { user: "a" }))
  })
})

describe("a source that changes while it is read", () => {
  it("MIG-22: gives each user once, and what belongs to them then", async () => {
    const folder = makeFolder()
    const database = new DatabaseSync(join(folder, "theirs.db"))
    database.exec(`create table User (id text primary key, name text, email text);
      create table Account (userId text, type text, provider text, providerAccountId text)`)
    const toId = (index: number) => String(index).padStart(5, "0")
    const insert = database.prepare("insert into User values (?, 'N', ?)")
    for (let index = 0; index < 1200; index += 1) insert.run(toId(index), `${index}@example.com`)
    const source = await openNextAuth({ argument: "sqlite:theirs.db", folder, environment: {}, options: {} })
    const seen: string[] = []
    for await (const row of source.read(undefined)) {
      if (row.kind === "user") seen.push(row.user.id)
      if (seen.length === 10) {
        // Before the cursor, in the page that was read, behind it, and at the end.
        insert.run("0000", "late@example.com")
        database.exec("delete from User where id in ('00020', '01100')")
        database.exec("update User set email = 'new@example.com' where id = '01101'")
        insert.run("99999", "last@example.com")
      }
      if (row.kind === "user" && row.user.id === "01101") expect(row.user.email).toBe("new@example.com")
    }
    await source.close()
    database.close()
    expect(new Set(seen).size).toBe(seen.length)
    expect([seen.length, seen.at(-1), seen.includes("01100"), seen.includes("0000")]).toEqual([
      1200,
      "99999",
      false,
      false,
    ])
  })
})

describe("the report of latchkey import", () => {
  it("MIG-22: overwrites neither the source, by a link either, nor the map", async () => {
    const path = writeLines([{ id: "a", email: "a@example.com" }])
    const before = readFileSync(path, "utf8")
    const link = newPath("link.jsonl")
    symlinkSync(path, link)
    const own = newPath()
    for (const args of [
      ["--report", path],
      ["--report", link],
      ["--map", link],
      ["--report", own, "--map", own],
    ]) {
      const { code, errors } = await createApp().run(path, ...args)
      expect([args, code, errors]).toEqual([args, 2, "--report and --map need files of their own."])
    }
    expect(readFileSync(path, "utf8")).toBe(before)
  })

  it("is not filled up in a file that the interrupted import did not write", () => {
    const path = newPath()
    writeFileSync(path, "short")
    expect(() => openReport(path, 100)).toThrow("is not the one that the interrupted import wrote")
    expect(readFileSync(path, "utf8")).toBe("short")
  })

  it("MIG-22: prints no name of a file that a terminal would obey, and fails where it cannot be written", async () => {
    const folder = makeFolder()
    const names = ["a\u001b[2J.jsonl", "-rf.jsonl", "b\n.jsonl", "c d'\"$(id).jsonl", "__proto__"]
    for (const name of names) {
      const missing = await runHere(["import", "json", "--yes", "--", join(folder, name)], { folder })
      expect([name, missing.code]).toEqual([name, 2])
      expect(missing.output + missing.errors).not.toMatch(/[^\P{C}\n]/u)
      writeFileSync(join(folder, name), '{"id":"a"}\n')
      expect((await createApp().run(join(folder, name))).code).toBe(0)
    }
    for (const option of ["--report", "--map"]) {
      const { code } = await createApp().run(writeLines([{ id: "a" }]), option, join(folder, "no-folder", "x"))
      expect([option, code]).toEqual([option, 2])
    }
  })

  it("MIG-22: shows nothing that a terminal would obey", async () => {
    const report = newPath()
    await createApp().run(writeLines([{ id: "\u009b2J\u202egpj", email: "a@example.com" }]), "--report", report)
    expect(readFileSync(report, "utf8")).not.toMatch(/[^\P{C}\n]/u)
    expect(readReport(report)).toMatchObject([{ id: "\u009b2J\u202egpj" }])
  })
})
