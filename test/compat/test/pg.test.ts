import { testAdapter } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe } from "vitest"
import { ours, passkeys } from "./theirs/missing-methods.js"
import { because } from "./theirs/not-promised.js"
import { openPgStore } from "./theirs/pg-store.js"
import { testSignIns } from "./theirs/sign-ins.suite.js"
import type { TheirStore } from "./theirs/their-store.js"

describe.skipIf(!hasProgram("postgres"))("@auth/pg-adapter in PostgreSQL", () => {
  let server: DatabaseServer
  let store: TheirStore
  beforeAll(async () => {
    server = await startPostgres()
    store = await openPgStore(server.url, "theirs")
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
      ...because("nothing but ids and verification tokens is unique in the documented tables", [
        "rejects a second user with the same email",
        "rejects linking an account twice, and keeps its user",
        "DBS-02: rejects a second session with the same token, and keeps the first",
        "ADP-05: creates one user when many concurrent callers use the same email",
        "ADP-06: links an account once when concurrent callers link it to two users",
        "creates one session when many concurrent callers use the same token",
      ]),
      ...because("ids are numbers, in records too", ["assigns an id to a created user"]),
      ...because("an id that is no number is an error", ["deletes an unknown user without an error"]),
    },
  })
})
