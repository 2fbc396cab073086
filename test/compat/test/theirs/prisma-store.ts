import { DatabaseSync } from "node:sqlite"
import { PrismaAdapter } from "@auth/prisma-adapter"
import { PrismaPg } from "@prisma/adapter-pg"
import { nodeSqliteAdapter } from "../../prisma/node-sqlite-adapter.js"
import { type GeneratedClient, openClient, readTables } from "../../prisma/open-client.js"
import { openPool } from "./pg-pool.js"
import type { TheirStore } from "./their-store.js"

/** A store with its client. */
export interface PrismaStore extends TheirStore {
  readonly client: GeneratedClient
}

const emptying = `delete from "User"; delete from "VerificationToken"`

// as: its types expect a client that is generated into @prisma/client, which Prisma no longer does
const adapterOf = (client: GeneratedClient) => PrismaAdapter(client as never)

/** `@auth/prisma-adapter` in PostgreSQL. */
export async function openPrismaPg(url: string): Promise<PrismaStore> {
  const pool = openPool(url)
  await pool.query(await readTables("theirs-postgresql"))
  const client = await openClient("theirs-postgresql", new PrismaPg(pool))
  return {
    client,
    adapter: adapterOf(client),
    empty: () => pool.query(emptying),
    async close() {
      await client.$disconnect()
      await pool.end()
    },
  }
}

/** `@auth/prisma-adapter` with node:sqlite. */
export async function openPrismaSqlite(): Promise<PrismaStore> {
  const database = new DatabaseSync(":memory:")
  database.exec(await readTables("theirs-sqlite"))
  const client = await openClient("theirs-sqlite", nodeSqliteAdapter(database))
  return {
    client,
    adapter: adapterOf(client),
    empty: () => database.exec(emptying),
    close: () => client.$disconnect(),
  }
}
