import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { PrismaClientLike } from "@latchkey/prisma-adapter"
import type { SqlDriverAdapterFactory } from "@prisma/driver-adapter-utils"

/** What is used here of a client that Prisma generates. */
export type GeneratedClient = PrismaClientLike & {
  $disconnect(): Promise<void>
  $transaction<T>(work: (transaction: PrismaClientLike) => Promise<T>): Promise<T>
}

interface GeneratedModule {
  readonly PrismaClient: new (options: { adapter: SqlDriverAdapterFactory }) => GeneratedClient
}

/** A client over the schema of this name in this folder, generated before the tests. */
export async function openClient(schema: string, adapter: SqlDriverAdapterFactory): Promise<GeneratedClient> {
  const module: GeneratedModule = await import(join(import.meta.dirname, "generated", schema, "client.ts"))
  return new module.PrismaClient({ adapter })
}

/** The statements that make the tables of a schema. */
export async function readTables(schema: string): Promise<string> {
  return await readFile(join(import.meta.dirname, `${schema}.sql`), "utf8")
}
