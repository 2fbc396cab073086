import type { Compilable, Kysely } from "kysely"
import type { AnyTables } from "../sql/any-kysely.js"
import type { SqlDialect } from "../sql/dialect.js"
import type { Schema } from "../tables/schema.js"

export interface MigrationTarget {
  readonly schema: Schema
  readonly dialect: SqlDialect
  /** Builds statements for the database; they need not run on it. */
  readonly db: Kysely<AnyTables>
}

/** One step of the schema's history: lists of statements, so that any runner can run or print them. */
export interface SchemaChange {
  up(target: MigrationTarget): readonly Compilable[]
  down(target: MigrationTarget): readonly Compilable[]
}
