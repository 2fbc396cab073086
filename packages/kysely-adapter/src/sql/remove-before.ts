import { andThen } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import { type Kysely, sql } from "kysely"
import { getColumn, type Table } from "../tables/table.js"
import { placeholder } from "./clauses.js"
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
 * Deletes the rows whose date is before the instant, in batches: one statement over a million rows would stop a process
 * that uses SQLite for seconds, and would exceed the timeout of a server, which then deletes nothing. Answers
 * synchronously when the runner does and one batch is enough.
 * @returns how many rows there were
 */
export function removeBefore(access: RemovalAccess, field: string, instant: Date): Awaitable<number> {
  const column = getColumn(access.table, field)
  const parameter = toParameter(instant, column, access.dialect)
  const { columns, isUnclaimed } = access.table
  // A table of the host with a column of the same name must not lose rows: it lacks another column, so the statement fails.
  const others = isUnclaimed ? columns.filter(({ name }) => name !== column.name) : []
  const isOwn = others.map(({ name }) => sql` and (${sql.ref(name)} is null or ${sql.ref(name)} is not null)`)
  const isBefore = () =>
    sql<boolean>`${access.dialect.isBefore(sql.ref(column.name), placeholder)}${sql.join(isOwn, sql``)}`
  return access.dialect.kind === "sqlite"
    ? walkRows(access, { isBefore, parameter })
    : repeatDeletion(access, { isBefore, parameter })
}

interface Condition {
  readonly isBefore: () => ReturnType<SqlDialect["isBefore"]>
  readonly parameter: SqlParameter
}

const smallestRowId = "-9223372036854775808"

/** Walks the table by its row ids, since there is no index on dates: a search would begin anew for each batch. */
function walkRows(
  { table, db, dialect, runner }: RemovalAccess,
  { isBefore, parameter }: Condition,
): Awaitable<number> {
  const rowId = sql.ref(`${table.name}.rowid`)
  const position = sql<number>`cast(${placeholder} as integer)`
  const next = db
    .selectFrom(table.name)
    // As text, because the largest row ids are larger than JavaScript's integers.
    .select(sql`cast(rowid as text)`.as("c0"))
    .where(sql<boolean>`${rowId} > ${position}`)
    .orderBy(rowId)
    .limit(sql.lit(1))
    .offset(position)
  const deletion = () => db.deleteFrom(table.name).where(isBefore()).where(sql<boolean>`${rowId} > ${position}`)
  const find = next.compile()
  const removeTo = deletion().where(sql<boolean>`${rowId} <= ${position}`).compile()
  const removeRest = deletion().compile()

  const step = (after: SqlParameter, before: number): Awaitable<number> =>
    andThen(runner.find({ ...find, parameters: [after, dialect.removalBatch - 1] }), (row) => {
      const last = row && readFirst(row)
      if (last === undefined) {
        return andThen(runner.count({ ...removeRest, parameters: [parameter, after] }), (count) => before + count)
      }
      return andThen(runner.count({ ...removeTo, parameters: [parameter, after, last] }), (count) =>
        pause().then(() => step(last, before + count)),
      )
    })
  return step(smallestRowId, 0)
}

/** Servers find the next batch themselves, behind the rows that are already deleted. */
function repeatDeletion(access: RemovalAccess, { isBefore, parameter }: Condition): Awaitable<number> {
  const { table, db, dialect, runner } = access
  const limit = dialect.removalBatch
  const all = db.deleteFrom(table.name).where(isBefore())
  const some = db.selectFrom(table.name).select(sql`ctid`.as("c0")).where(isBefore()).limit(sql.lit(limit))
  const isMysql = dialect.kind === "mysql"
  // In a partitioned table several rows have the same ctid: the outer condition keeps those that have not expired.
  const limited = isMysql ? all.limit(sql.lit(limit)) : all.where(sql<boolean>`ctid = any(array(${some}))`)
  const statement = { ...limited.compile(), parameters: isMysql ? [parameter] : [parameter, parameter] }
  const step = (before: number): Awaitable<number> =>
    andThen(runner.count(statement), (count) => (count < limit ? before + count : step(before + count)))
  return step(0)
}

function readFirst(row: Row): string {
  return String(Array.isArray(row) ? row[0] : Reflect.get(row, "c0"))
}

/** Lets waiting requests run. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
