import { testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe } from "vitest"
import { ours } from "./theirs/missing-methods.js"
import { because, countersMoveBack } from "./theirs/not-promised.js"
import { openPrismaPg, openPrismaSqlite } from "./theirs/prisma-store.js"
import { testSignIns } from "./theirs/sign-ins.suite.js"
import type { TheirStore } from "./theirs/their-store.js"

const notPromised = {
  ...countersMoveBack,
  ...because("changing or removing what is not there is an error", [
    "deletes an unknown user without an error",
    "unlinks an unknown account without an error",
    "ADP-07: creates no session when updating an unknown one",
    "deletes an unknown session without an error",
    "ADP-13: does not find a session by a look-alike token",
    "lets many concurrent callers delete one session without an error",
  ]),
}

describe.skipIf(!hasProgram("postgres"))("@auth/prisma-adapter in PostgreSQL", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startPostgres()
    store = await openPrismaPg(server.url)
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
      ...notPromised,
      ...because("numbers have 32 bits in the documented tables", [
        "stores a token expiry after 2038",
        "stores the largest possible counter",
      ]),
    },
  })
})

describe("@auth/prisma-adapter in SQLite", () => {
  let store: TheirStore
  beforeAll(async () => {
    store = await openPrismaSqlite()
  })
  afterAll(() => store.close())

  testSignIns(() => store)
  testAdapter({
    name: "the shared suite",
    create: () => ({ adapter: store.adapter }),
    without: ours,
    notPromised,
  })
})
