import { DatabaseSync } from "node:sqlite"
import { PrismaAdapter } from "@latchkey/prisma-adapter"
import { UnstorageAdapter } from "@latchkey/unstorage-adapter"
import { createStorage } from "unstorage"
import { type MovedStore, testMovedSessions } from "../../../processes/moved-sessions.suite.js"
import { nodeSqliteAdapter } from "../../prisma/node-sqlite-adapter.js"
import { openClient, readTables } from "../../prisma/open-client.js"

/** A driver of node:sqlite has one connection, in one process. */
const onPrisma: MovedStore = {
  name: "Prisma",
  program: null,
  async open() {
    const database = new DatabaseSync(":memory:")
    database.exec(await readTables("sqlite"))
    const client = await openClient("sqlite", nodeSqliteAdapter(database))
    const connect = () => ({ adapter: PrismaAdapter(client), close: () => undefined })
    return { connect, stop: () => client.$disconnect() }
  },
}

const onUnstorage: MovedStore = {
  name: "unstorage",
  program: null,
  canTrack: false,
  open() {
    const storage = createStorage()
    const spent = new Set<string>()
    const consumeOnce = async (id: string) => !spent.has(id) && spent.add(id).has(id)
    const connect = () => ({ adapter: UnstorageAdapter(storage, { consumeOnce }), close: () => undefined })
    return { connect, stop: () => storage.dispose() }
  },
}

testMovedSessions(onPrisma, onUnstorage)
