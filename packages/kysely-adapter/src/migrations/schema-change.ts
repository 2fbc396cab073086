import type { Compilable, Kysely } from "kysely"
import type { AnyTables } from "../sql/any-kysely.js"
import type { SqlDialect } from "../sql/dialect.js"
import type { Schema } from "../tables/schema.js"

export interface MigrationTarget {
  readonly schema: Schema
  readonly dialect: SqlDialect
  /** Builds statements for the database; they need not run on it. */
  readonly db: Kysely<AnyTables>
  /** How the ids of users are declared, where the table is there and what refers to it must be declared alike. */
  readonly userIdType?: string | undefined
}

/** A table by its name, and the columns that it has at least. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** One step of the schema's history: lists of statements, so that any runner can run or print them. */
export interface SchemaChange {
  up(target: MigrationTarget): readonly Compilable[]
  down(target: MigrationTarget): readonly Compilable[]
  /** The tables that the step makes, or keeps as they are where they are there already. */
  shapes(schema: Schema): readonly TableShape[]
}
