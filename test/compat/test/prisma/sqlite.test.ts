import { DatabaseSync } from "node:sqlite"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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
    empty: () => {
      for (const table of ["User", "VerificationToken", "Spent", "Temporary"]) database.exec(`delete from "${table}"`)
    },
    close: () => undefined,
  })
  testSignIns(store, { hasRecords: true })

  testAdapter({ create: () => ({ adapter: PrismaAdapter(client) }) })

  it("stores users without an address, as providers that share none create them", async () => {
    const adapter = PrismaAdapter(client)
    for (const id of ["nobody-1", "nobody-2"]) {
      // as: the contract's type has no null, which is a user without an address.
      const email = null as unknown as string
      const user = await adapter.createUser({ id, name: "Ada", email, emailVerified: null })
      expect(await adapter.getUser(user.id)).toMatchObject({ name: "Ada", email: null })
      await adapter.deleteUser(user.id)
    }
  })

  it("removes expired rows in batches, between which the process answers requests", async () => {
    const adapter = PrismaAdapter(client)
    const [past, instant, later] = [1, 2, 3].map((day) => new Date(Date.UTC(1980, 0, day)))
    await adapter.removeExpired(later)
    for (let n = 0; n < 900; n++) {
      const expires = (n % 3 === 0 ? later : past) as Date // as: there are three
      await adapter.createVerificationToken({
        identifier: n < 600 ? "ada@example.com" : `${n}`,
        token: `${n}`,
        expires,
      })
      await adapter.consumeOnce?.(`many-${n}`, expires)
    }
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    expect(await adapter.removeExpired(instant)).toBe(1_200)
    clearInterval(timer)
    expect(turns).toBeGreaterThanOrEqual(3)
    expect(await adapter.removeExpired(instant)).toBe(0)
    expect(await adapter.useVerificationToken({ identifier: "ada@example.com", token: "597" })).not.toBeNull()
    expect(await adapter.removeExpired(new Date(Date.UTC(1980, 0, 4)))).toBe(599)
  })

  testFeatures({ name: "the service", create: () => ({ adapter: PrismaAdapter(client) }) })
})
