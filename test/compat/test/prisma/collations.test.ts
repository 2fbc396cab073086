import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { testLookAlikes } from "@latchkey/testkit/adapter"
import {
  collateMariadb,
  collatePostgres,
  hasProgram,
  lenientCollations,
  startMariadb,
  startPostgres,
} from "@latchkey/testkit/servers"
import { PrismaMariaDb } from "@prisma/adapter-mariadb"
import { PrismaPg } from "@prisma/adapter-pg"
import { createConnection, type RowDataPacket } from "mysql2/promise"
import { Client } from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"

interface Opened {
  readonly client: GeneratedClient
  stop(): Promise<void>
}

async function openMariadb(collation: string): Promise<Opened> {
  const server = await startMariadb()
  const operator = await createConnection({ uri: server.url, multipleStatements: true })
  await operator.query(await readTables("mysql"))
  await collateMariadb(async (text) => (await operator.query<RowDataPacket[]>(text))[0], collation)
  await operator.end()
  const client = await openClient("mysql", new PrismaMariaDb(server.url.replace("mysql:", "mariadb:")))
  return { client, stop: () => server.stop() }
}

async function openPostgres(): Promise<Opened> {
  const server = await startPostgres()
  const operator = new Client({ connectionString: server.url })
  await operator.connect()
  await operator.query(await readTables("postgresql"))
  await collatePostgres(async (text) => (await operator.query(text)).rows)
  await operator.end()
  const client = await openClient("postgresql", new PrismaPg({ connectionString: server.url }))
  return { client, stop: () => server.stop() }
}

const cases = [
  ...lenientCollations.map((collation) => ({ program: "mariadbd", collation, open: () => openMariadb(collation) })),
  { program: "postgres", collation: "ICU", open: openPostgres },
]

for (const { program, collation, open } of cases)
  describe.skipIf(!hasProgram(program))(`${program}, ${collation}`, () => {
    let opened: Opened
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(async () => {
      await opened.client.$disconnect()
      await opened.stop()
    })

    testLookAlikes("Prisma", () => ({ adapter: PrismaAdapter(opened.client) }))
  })
