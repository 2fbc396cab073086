import { testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe } from "vitest"
import { openDrizzleMysql, openDrizzlePg, openDrizzleSqlite } from "./theirs/drizzle-store.js"
import { ours } from "./theirs/missing-methods.js"
import { because, countersMoveBack, looksAlike, tokensTwice } from "./theirs/not-promised.js"
import { testSignIns } from "./theirs/sign-ins.suite.js"
import type { TheirStore } from "./theirs/their-store.js"

const thirtyTwoBits = because("numbers have 32 bits in the documented tables", [
  "stores a token expiry after 2038",
  "stores the largest possible counter",
])
const timestampsEnd = "a timestamp of MariaDB ends in January 2038"
const lookAlikeReason = Object.values(looksAlike).at(0) ?? ""

describe.skipIf(!hasProgram("postgres"))("@auth/drizzle-adapter in PostgreSQL", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startPostgres()
    store = await openDrizzlePg(server.url, "theirs")
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  testSignIns(() => store)
  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: ours,
    notPromised: { ...countersMoveBack, ...thirtyTwoBits },
  })
})

describe.skipIf(!hasProgram("mariadbd"))("@auth/drizzle-adapter in MariaDB", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4" })
    store = await openDrizzleMysql(server.url)
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  testSignIns(() => store)
  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: ours,
    notPromised: {
      ...countersMoveBack,
      ...thirtyTwoBits,
      ...looksAlike,
      ...tokensTwice,
      "ADP-13: distinguishes look-alike account ids, and links both": lookAlikeReason,
      "stores the date 2038-01-19T03:14:08.000Z to the millisecond": timestampsEnd,
      "stores a session that expires after 2038": timestampsEnd,
      "stores tokens of 8 KB": "the documented columns of tokens hold 255 characters",
    },
  })
})

describe("@auth/drizzle-adapter in SQLite", () => {
  let store: TheirStore
  beforeAll(() => {
    store = openDrizzleSqlite(":memory:")
  })
  afterAll(() => store.close())

  testSignIns(() => store)
  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: ours,
    notPromised: countersMoveBack,
  })
})
