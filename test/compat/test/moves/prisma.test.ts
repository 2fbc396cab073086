import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, describe } from "vitest"
import { openPrismaPg, openPrismaSqlite, type PrismaStore } from "../theirs/prisma-store.js"
import { testMove } from "./move.suite.js"

const move = "from @auth/prisma-adapter to @latchkey/prisma-adapter"

describe.skipIf(!hasProgram("postgres"))(`${move} in PostgreSQL`, () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres({ timezone: "Asia/Kolkata" })
  })
  afterAll(() => server.stop())

  testPrismaMove(() => openPrismaPg(server.url))
})

describe(`${move} in SQLite`, () => {
  testPrismaMove(openPrismaSqlite)
})

/** Only the import of the adapter changes; the client stays. */
function testPrismaMove(open: () => Promise<PrismaStore>): void {
  let theirs: PrismaStore
  testMove({
    hasPasskeys: true,
    hasWayBack: true,
    async openTheirs() {
      theirs = await open()
      return theirs
    },
    openOurs: () => ({ adapter: PrismaAdapter(theirs.client), close: () => undefined }),
  })
}
