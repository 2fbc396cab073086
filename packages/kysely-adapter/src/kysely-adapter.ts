import { type AnyKysely, overAnyTables } from "./sql/any-kysely.js"
import type { DatabaseKind } from "./sql/dialect.js"
import { kyselyRunner } from "./sql/kysely-runner.js"
import { resolveDialect } from "./sql/resolve-dialect.js"
import { type SqlAdapter, sqlAdapter } from "./sql-adapter.js"
import { resolveSchema } from "./tables/schema.js"
import type { SchemaOptions } from "./tables/schema-options.js"

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
export function KyselyAdapter<const O extends KyselyAdapterOptions = KyselyAdapterOptions>(
  db: AnyKysely,
  options?: O,
): SqlAdapter<O> {
  return sqlAdapter({
    schema: resolveSchema(options ?? {}),
    dialect: resolveDialect(db, options?.database),
    db: overAnyTables(db),
    runner: kyselyRunner(db),
  }) as SqlAdapter<O> // as: the extra columns are those of the schema
}
