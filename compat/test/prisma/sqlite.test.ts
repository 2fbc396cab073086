import { DatabaseSync } from "node:sqlite"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { afterAll, beforeAll, describe } from "vitest"
import { nodeSqliteAdapter } from "../../prisma/node-sqlite-adapter.js"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"
import { testSignIns } from "../theirs/sign-ins.suite.js"
import type { TheirStore } from "../theirs/their-store.js"

process.env["TZ"] = "America/St_Johns"

describe("@latchkey/prisma-adapter in SQLite", () => {
  const database = new DatabaseSync(":memory:")
  let client: GeneratedClient
  beforeAll(async () => {
    database.exec(await readTables("sqlite"))
    client = await openClient("sqlite", nodeSqliteAdapter(database))
  }, 60_000)
  afterAll(async () => await client.$disconnect())

  const store = (): TheirStore => ({
    adapter: PrismaAdapter(client),
    empty: () => database.exec(`delete from "User"; delete from "VerificationToken"; delete from "Spent"`),
    close: () => undefined,
  })
  testSignIns(store, { hasRecords: true })

  testAdapter({ create: () => ({ adapter: PrismaAdapter(client) }) })
  testFeatures({ name: "the service", create: () => ({ adapter: PrismaAdapter(client) }) })
})
