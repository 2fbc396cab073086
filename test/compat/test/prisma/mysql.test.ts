import type { Adapter } from "@latchkey/core/adapters"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startMariadb } from "@latchkey/testkit/servers"
import { PrismaMariaDb } from "@prisma/adapter-mariadb"
import { type Connection, createConnection } from "mysql2/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"

// Neither the process nor the server is in UTC.
process.env["TZ"] = "America/St_Johns"
const settings = { "character-set-server": "utf8mb4", "default-time-zone": "+05:30" }

describe.skipIf(!hasProgram("mariadbd"))("@latchkey/prisma-adapter in MariaDB", () => {
  let server: DatabaseServer
  let operator: Connection
  let client: GeneratedClient
  let adapter: Required<Adapter>

  beforeAll(async () => {
    server = await startMariadb(settings)
    operator = await createConnection({ uri: server.url, multipleStatements: true })
    await operator.query(await readTables("mysql"))
    client = await openClient("mysql", new PrismaMariaDb(server.url.replace("mysql:", "mariadb:")))
    adapter = PrismaAdapter(client) as Required<Adapter> // as: the schema has every model
  }, 60_000)
  afterAll(async () => {
    await client.$disconnect()
    await operator.end()
    await server.stop()
  })

  testAdapter({ create: () => ({ adapter }) })
  testFeatures({ name: "the service", create: () => ({ adapter }) })

  it("finds unique indexes that are missing, short columns for tokens, and columns that take different texts for equal", async () => {
    const { findStoreDefects } = PrismaAdapter(client)
    expect(await findStoreDefects()).toEqual([])
    await operator.query("delete from `User`")
    await operator.query("drop index `User_email_key` on `User`")
    await operator.query(
      "alter table `User` modify `email` varchar(191) character set utf8mb4 collate utf8mb4_general_ci",
    )
    await operator.query("alter table `Account` modify `access_token` varchar(191)")
    const found = await findStoreDefects()
    expect(found.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ["index", expect.stringContaining("User has no unique index on email")],
      ["collation", expect.stringContaining("User.email takes texts for equal that differ in")],
      ["column", expect.stringContaining("Account.access_token holds 191 characters")],
    ])
    for (const { statement = "" } of found.toReversed()) await operator.query(statement)
    expect(await findStoreDefects()).toEqual([])
  })
})
