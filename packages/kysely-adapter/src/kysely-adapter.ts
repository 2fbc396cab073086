import { type AnyKysely, overAnyTables } from "./sql/any-kysely.js"
import { type DatabaseKind, resolveDialect } from "./sql/dialect.js"
import { kyselyRunner, withoutNul } from "./sql/kysely-runner.js"
import { type SqlAdapter, sqlAdapter } from "./sql-adapter.js"
import { resolveSchema, type SchemaOptions } from "./tables/schema.js"

/** How the host's tables differ from the default ones, and in which database they are. */
export interface KyselyAdapterOptions extends SchemaOptions {
  /** Default: told from the instance's dialect. Needed where that is not one of Kysely's own or derived from them. */
  readonly database?: DatabaseKind
}

/**
 * Keeps the records in the tables of a host's own Kysely instance. The tables must exist: see `migrate`.
 *
 * Each operation is one statement (two where a database cannot return what it wrote), so uniqueness and single use hold
 * between any number of processes. The instance may be a transaction; then all happens within it.
 * @throws TypeError when an option cannot work, or the dialect is not recognised.
 */
export function KyselyAdapter(db: AnyKysely, options: KyselyAdapterOptions = {}): SqlAdapter {
  const dialect = resolveDialect(db, options.database)
  const runner = kyselyRunner(db)
  return sqlAdapter({
    schema: resolveSchema(options),
    dialect,
    db: overAnyTables(db),
    runner: dialect.storesNul ? runner : withoutNul(runner),
  })
}
