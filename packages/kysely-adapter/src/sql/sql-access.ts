import type { Kysely } from "kysely"
import type { Schema } from "../tables/schema.js"
import type { AnyTables } from "./any-kysely.js"
import type { SqlDialect } from "./dialect.js"
import type { CompiledStatement } from "./kysely-runner.js"
import type { SqlRunner } from "./runner.js"

/** What the adapter needs of a database: `db` builds statements, `runner` runs them. */
export interface SqlAccess {
  readonly schema: Schema
  readonly dialect: SqlDialect
  readonly db: Kysely<AnyTables>
  readonly runner: SqlRunner<CompiledStatement>
}
