import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { PrismaClientLike } from "@latchkey/prisma-adapter"
import type { SqlDriverAdapterFactory } from "@prisma/driver-adapter-utils"

/** The parts of a generated client that these tests use. */
export type GeneratedClient = PrismaClientLike & {
  $disconnect(): Promise<void>
  $transaction<T>(work: (transaction: PrismaClientLike) => Promise<T>): Promise<T>
}

interface GeneratedModule {
  readonly PrismaClient: new (options: { adapter: SqlDriverAdapterFactory }) => GeneratedClient
}

/** Opens the generated client of a schema in this folder. */
export async function openClient(schema: string, adapter: SqlDriverAdapterFactory): Promise<GeneratedClient> {
  const module: GeneratedModule = await import(join(import.meta.dirname, "generated", schema, "client.ts"))
  return new module.PrismaClient({ adapter })
}

/** The statements that create the tables of a schema. */
export async function readTables(schema: string): Promise<string> {
  return await readFile(join(import.meta.dirname, `${schema}.sql`), "utf8")
}
