import { andThen, type RowWalk, removeInBatches } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import { type Compilable, type Expression, type Kysely, type RawBuilder, sql } from "kysely"
import { getColumn, type Table } from "../tables/table.js"
import { toParameter } from "./column-value.js"
import type { SqlDialect } from "./dialect.js"
import type { AnyTables, CompiledStatement, Row, SqlParameter, SqlRunner } from "./runner.js"

interface RemovalAccess {
  readonly table: Table
  readonly db: Kysely<AnyTables>
  readonly dialect: SqlDialect
  readonly runner: SqlRunner<CompiledStatement>
}

/**
 * Deletes the rows whose date is before the instant, in batches. Answers synchronously when the runner does and one batch
 * is enough.
 * @returns how many rows there were
 */
export function removeBefore(access: RemovalAccess, field: string, instant: Date): Awaitable<number> {
  const { table, db, dialect, runner } = access
  const column = getColumn(table, field)
  const { columns, isUnclaimed } = table
  // A table of the host with a column of the same name must not lose rows: it lacks another column, so the statement fails.
  const others = isUnclaimed ? columns.filter(({ name }) => name !== column.name) : []
  const isOwn = others.map(({ name }) => sql` and (${sql.ref(name)} is null or ${sql.ref(name)} is not null)`)
  const isBefore = dialect.isBefore(sql.ref(column.name), String(toParameter(instant, column, dialect)))
  const expired = db.deleteFrom(table.name).where(sql<boolean>`${isBefore}${sql.join(isOwn, sql``)}`)
  const { position, selected, toBoundary } = walkOrder(table, dialect)
  const isFrom = (key: string) => sql<boolean>`${position} >= ${toBoundary(key)}`
  const isTo = (key: string) => sql<boolean>`${position} < ${toBoundary(key)}`
  const walk: RowWalk<string> = {
    findNext(from, rows) {
      const keys = db.selectFrom(table.name).select(selected.as("c0")).orderBy(position).limit(sql.lit(1))
      const next = (from === null ? keys : keys.where(isFrom(from))).offset(sql.lit(rows))
      return andThen(runner.find(compile(next)), (row) => (row === undefined ? null : readFirst(row)))
    },
    removeBetween(from, to) {
      const rest = from === null ? expired : expired.where(isFrom(from))
      return runner.count(compile(to === null ? rest : rest.where(isTo(to))))
    },
  }
  return removeInBatches(walk, dialect.removalBatches)
}

interface WalkOrder {
  readonly position: Expression<unknown>
  readonly selected: RawBuilder<unknown>
  toBoundary(key: string): RawBuilder<unknown>
}

/**
 * SQLite: by row id, the order in which rows are stored. Servers have no such id in common, so they use the index of the
 * key's first column.
 */
function walkOrder(table: Table, { kind }: SqlDialect): WalkOrder {
  if (kind === "sqlite") {
    const position = sql.ref(`${table.name}.rowid`)
    // As text, because the largest row ids are larger than JavaScript's integers.
    const selected = sql`cast(${position} as text)`
    return { position, selected, toBoundary: (id) => sql`cast(${id} as integer)` }
  }
  const [first = ""] = table.key
  const position = sql.ref(getColumn(table, first).name)
  return { position, selected: sql`${position}`, toBoundary: (key) => sql`${key}` }
}

function compile(query: Compilable): CompiledStatement {
  const { sql: text, query: node, queryId, parameters } = query.compile()
  return { sql: text, query: node, queryId, parameters: parameters as readonly SqlParameter[] } // as: keys and a date
}

function readFirst(row: Row): string {
  return String(Array.isArray(row) ? row[0] : Reflect.get(row, "c0"))
}
