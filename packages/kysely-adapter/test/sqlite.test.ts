import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"

// One database for each suite: to open one, with its migrations, takes longer than most tests.
const memory = sqlite(":memory:")
afterAll(memory.close)
testAdapter({ name: "sqlite in memory", create: () => ({ adapter: memory }) })

describe("sqlite in a file", () => {
  let folder: string
  let path: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-sqlite-"))
    path = join(folder, "app.db")
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const shared = mkdtempSync(join(tmpdir(), "latchkey-sqlite-"))
  const adapter = sqlite(join(shared, "app.db"))
  afterAll(() => {
    adapter.close()
    rmSync(shared, { recursive: true })
  })
  testAdapter({ create: () => ({ adapter }) })
  testFeatures({ create: () => ({ adapter }) })

  it("rejects a file that is not a database", () => {
    expect(() => sqlite(import.meta.filename)).toThrow("file is not a database")
  })

  it.each([
    ["a path", () => path],
    ["a URI", () => `file:${path}`],
    ["a URI with an authority and a query", () => `file://${path}?cache=private`],
  ])("DBS-13: creates a file that only its owner can read, with its journals (%s)", (_, place) => {
    const mask = process.umask(0)
    const adapter = sqlite(place())
    process.umask(mask)
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({ "app.db": 0o600, "app.db-shm": 0o600, "app.db-wal": 0o600 })
    adapter.close()
    chmodSync(path, 0o640)
    sqlite(path).close()
    expect(statSync(path).mode & 0o777).toBe(0o640)
  })

  it("creates no file while latchkey doctor loads the configuration, and opens one that exists", async () => {
    const mark = Symbol.for("latchkey.onlyLooking")
    Reflect.set(globalThis, mark, true)
    try {
      for (const place of [path, `file:${path}`]) sqlite(place).close()
      expect(readdirSync(folder)).toEqual([])
    } finally {
      Reflect.deleteProperty(globalThis, mark)
    }
    const adapter = sqlite(path)
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    adapter.close()
    Reflect.set(globalThis, mark, true)
    try {
      const again = sqlite(path)
      expect(again.getUser("ada")).toMatchObject({ email: "ada@example.com" })
      again.close()
    } finally {
      Reflect.deleteProperty(globalThis, mark)
    }
  })

  it("creates no file for a database in memory", () => {
    const before = readdirSync(".")
    for (const place of [":memory:", "", "file::memory:", "file:shared?mode=memory"]) sqlite(place).close()
    expect(readdirSync(".")).toEqual(before)
  })

  it("rejects a folder that does not exist, also while latchkey doctor loads the configuration", () => {
    const file = join(folder, "missing", "app.db")
    const sentence = `sqlite: ${file} cannot be opened (unable to open database file)`
    expect(() => sqlite(file)).toThrow(sentence)
    const mark = Symbol.for("latchkey.onlyLooking")
    Reflect.set(globalThis, mark, true)
    try {
      expect(() => sqlite(file)).toThrow(sentence)
    } finally {
      Reflect.deleteProperty(globalThis, mark)
    }
  })

  it("finds the stored records after it was closed and opened again", () => {
    const before = sqlite(path)
    before.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    before.close()
    before.close()
    const again = sqlite(path)
    expect(again.getUser("ada")).toMatchObject({ email: "ada@example.com" })
    again.close()
  })

  it("answers synchronously, without a promise", () => {
    const adapter = sqlite(path)
    const expires = new Date("2040-01-01T00:00:00.001Z")
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    adapter.createSession({ sessionToken: "token", userId: "ada", expires })
    expect(adapter.getSessionAndUser("token")).toEqual({
      session: { sessionToken: "token", userId: "ada", expires },
      user: { id: "ada", email: "ada@example.com", emailVerified: null, name: null, image: null },
    })
    adapter.close()
  })

  it("reads while another connection writes", () => {
    const [reader, writer] = [sqlite(path), sqlite(path)]
    writer.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    writer.database.exec("begin immediate")
    writer.updateUser({ id: "ada", name: "Ada" })
    expect(reader.getUser("ada")).toMatchObject({ name: null })
    writer.database.exec("commit")
    expect(reader.getUser("ada")).toMatchObject({ name: "Ada" })
    for (const adapter of [reader, writer]) adapter.close()
  })

  it("ends more sessions than a statement has parameters", async () => {
    const adapter = sqlite(path)
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    adapter.database.exec(`
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 33000)
      insert into Session (sessionToken, userId, expires) select 'token ' || i, 'ada', '2040-01-01T00:00:00.000Z' from n;
      insert into SessionDetail (id, userId, sessionToken, provider, providerAccountId, amr, createdAt, lastSeenAt, expires)
        select sessionToken, userId, sessionToken, 'harbour', '1', 'pwd', expires, expires, expires from Session`)
    expect(await adapter.endSessions?.({ userId: "ada", except: "token 7" })).toBe(32_999)
    expect(adapter.getSessionAndUser("token 33000")).toBeNull()
    expect(adapter.getSessionAndUser("token 7")).not.toBeNull()
    adapter.close()
  })

  it("gives up a write after busyTimeoutMilliseconds", () => {
    const writer = sqlite(path)
    const waiting = sqlite(path, { busyTimeoutMilliseconds: 10 })
    writer.database.exec("begin immediate")
    expect(() => waiting.createUser({ id: "ada", email: "a@example.com", emailVerified: null })).toThrow("locked")
    writer.database.exec("rollback")
    for (const adapter of [writer, waiting]) adapter.close()
  })
})

describe("sqlite with the host's database", () => {
  it("rejects a database that ignores foreign keys", () => {
    const database = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
    expect(() => sqlite(database)).toThrow("foreign keys")
  })

  it("leaves the database open when the adapter is closed", () => {
    const database = new DatabaseSync(":memory:")
    sqlite(database).close()
    expect(database.isOpen).toBe(true)
  })

  it("takes part in the host's transaction", () => {
    const database = new DatabaseSync(":memory:")
    const adapter = sqlite(database)
    database.exec("begin")
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    database.exec("rollback")
    expect(adapter.getUser("ada")).toBeNull()
  })
})
