import type { BatchLimits } from "@latchkey/adapter-kit"
import type { CompiledQuery } from "kysely"
import { type SqlAdapter, sqlAdapter } from "../kysely-adapter.js"
import { findDuplicates, toDuplicateRows } from "../migrations/duplicates.js"
import {
  assertKnownChanges,
  assertKnownTables,
  findApplied,
  findTables,
  withoutHostTables,
} from "../migrations/inspect.js"
import type { MadeMigration } from "../migrations/migrate.js"
import { compileAll, planSteps } from "../migrations/migration-sql.js"
import type { MigrationTarget } from "../migrations/schema-statements.js"
import { getDialect, statementBuilder } from "../sql/dialect.js"
import type { CompiledStatement, Row, SqlParameter, SqlRunner } from "../sql/runner.js"
import { resolveSchema } from "../tables/schema.js"
import type { SchemaOptions } from "../tables/schema-options.js"

/** What this adapter uses of a D1 binding. */
export interface D1Database {
  prepare(query: string): D1PreparedStatement
  /** Runs all statements in one transaction. */
  batch(statements: D1PreparedStatement[]): Promise<D1Result[]>
}

/** A statement of a D1 binding. */
export interface D1PreparedStatement {
  bind(...values: unknown[]): D1PreparedStatement
  run(): Promise<D1Result>
  /** The rows, each as an array. */
  raw(): Promise<unknown[]>
}

/** The result of a statement. */
export interface D1Result {
  readonly meta: { readonly changes?: number; readonly last_row_id?: number }
}

/** The adapter of a D1 database. */
export interface D1Adapter<O extends SchemaOptions = SchemaOptions> extends SqlAdapter<O> {
  /**
   * Migrates the tables to this version's schema, in one batch: all of it happens, or nothing. Safe to call from several
   * workers at once.
   * @returns the migrations that were applied; empty if there was nothing to do
   * @throws UnknownSchema when a newer version has migrated the database, or it contains other tables of the same names
   */
  migrate(): Promise<readonly MadeMigration[]>
}

/** A query does not stop the worker, which may only make a limited number of them: few and large batches. */
const removalBatches: BatchLimits = { firstRows: 10_000, maxRows: 10_000, milliseconds: Number.POSITIVE_INFINITY }

/**
 * Stores records in a Cloudflare D1 database. Each method is one statement.
 * @param database The binding, such as `env.DB`
 * @throws TypeError when an option is invalid, or asks for the linked layout, which needs transactions
 * @example const adapter = d1(env.DB)
 */
export function d1<const O extends SchemaOptions = SchemaOptions>(
  database: D1Database,
  options: O = {} as O, // as: no options, no extra columns
): D1Adapter<O> {
  if (options.layout === "linked") throw new TypeError('d1: layout must be "direct", since D1 has no transactions')
  const dialect = { ...getDialect("sqlite"), removalBatches }
  const target = { schema: resolveSchema(options), dialect, db: statementBuilder("sqlite") }
  return {
    ...(sqlAdapter({ ...target, runner: d1Runner(database), transactions: "none" }) as SqlAdapter<O>), // as: extra columns
    migrate: () => migrateInBatch(database, target),
  }
}

function d1Runner(database: D1Database): SqlRunner<CompiledStatement> {
  const prepare = ({ sql, parameters }: CompiledStatement) => database.prepare(sql).bind(...parameters.map(toBindable))
  const list = async (statement: CompiledStatement) => (await prepare(statement).raw().catch(rethrowWithCode)) as Row[] // as: `raw` returns arrays
  const run = async (statement: CompiledStatement) => (await prepare(statement).run().catch(rethrowWithCode)).meta
  return {
    find: async (statement) => (await list(statement))[0],
    list,
    count: async (statement) => (await run(statement)).changes ?? 0,
    insert: async (statement) => (await run(statement)).last_row_id,
    transact: () => {
      throw new TypeError("d1: D1 has no transactions")
    },
  }
}

function rethrowWithCode(error: unknown): never {
  throw withCode(error)
}

/** D1 names SQLite's code in the message only. `isUniqueViolation` reads `code`. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { message } = error
  const [, code] = /\(extended: (SQLITE_\w+)\)$/.exec(message) ?? []
  // Not every version of D1 adds the extended code.
  const named = code ?? (/\bUNIQUE constraint failed\b/.test(message) ? "SQLITE_CONSTRAINT_UNIQUE" : undefined)
  return named ? Object.assign(error, { code: named }) : error
}

/** D1 binds no bigint. SQLite converts the digits of a larger one to the integer that the column stores. */
function toBindable(value: SqlParameter): Exclude<SqlParameter, bigint> {
  if (typeof value !== "bigint") return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

async function migrateInBatch(database: D1Database, target: MigrationTarget): Promise<readonly MadeMigration[]> {
  const { applied, known } = await inspect(database, target)
  const steps = planSteps(applied, undefined)
  if (steps.length === 0) return []
  try {
    await database.batch(compileAll(known, steps).map((text) => database.prepare(text)))
    return steps
  } catch (error) {
    // Another worker may have recorded the same migrations in the meantime, so that the batch failed as a whole.
    const isDone = planSteps((await inspect(database, target)).applied, undefined).length === 0
    if (isDone) return []
    throw await explainDuplicates(withCode(error), database, target)
  }
}

/** An error that names the users of rows that are there twice. The error itself if there are none. */
async function explainDuplicates(error: unknown, database: D1Database, target: MigrationTarget): Promise<unknown> {
  const sentences: string[] = []
  for (const { query, toSentence } of findDuplicates(error, target)) {
    // The table may be missing.
    const users = await selectNames(database, query).catch(() => [])
    if (users.length > 0) sentences.push(toSentence(users))
  }
  return toDuplicateRows(error, sentences)
}

/** The first column of each row. */
async function selectNames(database: D1Database, { sql }: Pick<CompiledQuery, "sql">): Promise<string[]> {
  return (await database.prepare(sql).raw()).map((row) => String((row as unknown[])[0])) // as: `raw` returns arrays
}

interface Inspected {
  /** The names of the applied changes. */
  readonly applied: readonly string[]
  /** The target without tables of the host. */
  readonly known: MigrationTarget
}

async function inspect(database: D1Database, target: MigrationTarget): Promise<Inspected> {
  const select = (query: CompiledQuery) => selectNames(database, query)
  const applied = await findApplied(target, select)
  assertKnownChanges(applied)
  const found = { applied, tables: await findTables(target, select) }
  const known = withoutHostTables(target, found)
  assertKnownTables(found, known.schema)
  return { applied, known }
}
