import type { Kysely } from "kysely"

/** A host's Kysely instance or transaction, whatever tables its types know. */
export type AnyKysely = Pick<Kysely<unknown>, "getExecutor" | "executeQuery" | "isTransaction">

/** Tables are addressed by names that are known only at run time. */
export type AnyTables = Record<string, Record<string, unknown>>

/** The instance for statements whose names come from a schema. */
export function overAnyTables(db: AnyKysely): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables> // as: only a Kysely has these members, and its types say nothing about names
}
