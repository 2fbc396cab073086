import { DatabaseSync } from "node:sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import { afterAll, beforeAll, describe } from "vitest"
import { openKyselyStore } from "./theirs/kysely-store.js"
import { ours, passkeys } from "./theirs/missing-methods.js"
import { toKysely } from "./theirs/node-sqlite.js"
import { because, looksAlike, tokensTwice } from "./theirs/not-promised.js"
import { openPool } from "./theirs/pg-pool.js"
import { testSignIns } from "./theirs/sign-ins.suite.js"
import type { TheirStore } from "./theirs/their-store.js"

const throwsForNothing = "changing a session that is gone is an error"

const notPromised = {
  ...because("nothing keeps an account from being linked twice in the documented tables", [
    "rejects linking an account twice, and keeps its user",
    "ADP-06: links an account once when concurrent callers link it to two users",
  ]),
  "ADP-07: creates no session when updating an unknown one": throwsForNothing,
}

describe.skipIf(!hasProgram("postgres"))("@auth/kysely-adapter in PostgreSQL", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startPostgres()
    const pool = openPool(server.url)
    store = await openKyselyStore("postgres", new PostgresDialect({ pool }))
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  testSignIns(() => store, { hasPasskeys: false })

  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: [...ours, ...passkeys],
    notPromised: {
      ...notPromised,
      "ADP-13: does not find a session by a look-alike token": throwsForNothing,
    },
  })
})

describe.skipIf(!hasProgram("mariadbd"))("@auth/kysely-adapter in MariaDB", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4" })
    store = await openKyselyStore("mysql", new MysqlDialect({ pool: createPool(server.url) }))
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  testSignIns(() => store, { hasPasskeys: false, returnsToken: false })

  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: [...ours, ...passkeys],
    notPromised: { ...notPromised, ...looksAlike, ...tokensTwice },
  })
})

describe("@auth/kysely-adapter in SQLite", () => {
  let store: TheirStore
  beforeAll(async () => {
    store = await openKyselyStore("sqlite", new SqliteDialect({ database: toKysely(new DatabaseSync(":memory:")) }))
  })
  afterAll(() => store.close())

  testSignIns(() => store, { hasPasskeys: false })

  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: [...ours, ...passkeys],
    notPromised: {
      ...notPromised,
      "ADP-13: does not find a session by a look-alike token": throwsForNothing,
    },
  })
})
