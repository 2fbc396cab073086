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
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
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

it.skipIf(!hasProgram("postgres"))(
  "ADP-13: finds the row of each key that an index tells apart, and writes none of several that the column takes for equal",
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const operator = new Client({ connectionString: server.url })
    await operator.connect()
    await operator.query(await readTables("postgresql"))
    await collatePostgres(async (text) => (await operator.query(text)).rows)
    await operator.query(`alter table "User" drop constraint "User_pkey"; drop index "User_email_key"`)
    const ids = ["ada", "ADA", "\u00e1da"]
    for (const id of ids)
      await operator.query(`insert into "User" ("id", "email") values ($1, $2)`, [id, `${id}@example.com`])
    for (const column of ["id", "email"])
      await operator.query(`create unique index on "User" ("${column}" collate "C")`)
    await operator.end()
    const client = await openClient("postgresql", new PrismaPg({ connectionString: server.url }))
    onTestFinished(() => client.$disconnect())
    const adapter = PrismaAdapter(client)
    const expectAll = async () => {
      for (const id of ids) {
        expect(await adapter.getUser(id)).toMatchObject({ id, name: null })
        expect(await adapter.getUserByEmail(`${id}@example.com`)).toMatchObject({ id })
      }
    }
    await expectAll()
    for (const id of ids) {
      await expect(adapter.updateUser({ id, name: "Mallory" })).rejects.toThrow("nothing was written")
      await expect(adapter.deleteUser(id)).rejects.toThrow("nothing was written")
    }
    await expectAll()
  },
)
