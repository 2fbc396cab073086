import type { StoreDefect } from "@latchkey/core/adapters"
import { type RawBuilder, sql } from "kysely"
import type { DatabaseKind } from "../sql/dialect.js"
import type { Row } from "../sql/runner.js"
import type { SqlAccess } from "../sql/table-rows.js"
import type { Schema } from "../tables/schema.js"
import { type Column, getColumn, type Table } from "../tables/table.js"

type Access = Pick<SqlAccess, "schema" | "dialect" | "db" | "runner">

/** A column as the database has it. */
interface FoundColumn {
  readonly name: string
  /** Characters. Null without a limit. */
  readonly length: number | null
  /** Whether it takes letters of different case for equal. */
  readonly isFolding: boolean
}

/** The least length of a column for tokens: access tokens of large providers have 2,000 characters and more. */
const tokenLength = 2048
/** As far as clocks may differ before rows expire at another time than the service assumes. */
const maxClockSeconds = 30

/** What is wrong with the tables that exist, and with the clock of the database. Empty if a plugin renames the tables. */
export async function findStoreDefects(access: Access): Promise<readonly StoreDefect[]> {
  if (access.db.getExecutor().plugins.length > 0) return []
  const defects: StoreDefect[] = []
  for (const table of listTables(access.schema)) {
    const columns = await findColumns(access, table)
    if (columns.length === 0) continue
    defects.push(...(await findMissingIndexes(access, table)), ...findColumnDefects(access, table, columns))
  }
  return [...defects, ...(await findClockDefect(access))]
}

function listTables({ prefix: _, ...tables }: Schema): readonly Table[] {
  // A table that the host may use for something else is not ours to judge.
  return Object.values(tables).flatMap((table) => (table === null || table.isUnclaimed ? [] : [table]))
}

/** The columns that must be unique together. */
function uniquesOf(schema: Schema, table: Table): readonly (readonly string[])[] {
  const fields = table === schema.user ? [["id"], ["email"]] : [table.key]
  return fields.map((names) => names.map((field) => getColumn(table, field).name))
}

async function findMissingIndexes(access: Access, table: Table): Promise<readonly StoreDefect[]> {
  const found = await readUniques(access, table.name)
  // A unique index over some of the columns makes all of them unique.
  const isUnique = (columns: readonly string[]) =>
    found.some((index) => index.length > 0 && index.every((name) => columns.includes(name)))
  const missing = uniquesOf(access.schema, table).filter((columns) => !isUnique(columns))
  return missing.map((columns) => {
    const name = [table.name.split(".").at(-1), ...columns, "key"].join("_")
    const create = access.db.schema.createIndex(name).unique().on(table.name)
    return {
      kind: "index",
      sentence: `${table.name} has no unique index on ${columns.join(" and ")}, so of two sign-ins at once both create a row`,
      statement: create.columns([...columns]).compile().sql,
    }
  })
}

async function list(access: Access, query: RawBuilder<unknown>): Promise<readonly (readonly unknown[])[]> {
  const rows: readonly Row[] = await access.runner.list({ ...query.compile(access.db), parameters: [] })
  return rows.map((row) => Object.values(row))
}

/** The columns of each unique index and of the primary key. */
async function readUniques(access: Access, table: string): Promise<readonly (readonly string[])[]> {
  const rows = await list(access, uniqueQueries[access.dialect.kind](table))
  const indexes = Map.groupBy(rows, ([index]) => String(index))
  return [...indexes.values()].map((parts) => parts.map(([, column]) => String(column)))
}

const uniqueQueries: Readonly<Record<DatabaseKind, (table: string) => RawBuilder<unknown>>> = {
  sqlite(table) {
    const [name, schema = "main"] = table.split(".").toReversed()
    const [own, of] = [sql.lit(name), sql.lit(schema)]
    return sql`select l.name as a, i.name as b from pragma_index_list(${own}, ${of}) as l, pragma_index_info(l.name, ${of}) as i
      where l."unique" = 1 and l.partial = 0
      union all select ' key' as a, name as b from pragma_table_info(${own}, ${of}) where pk > 0`
  },
  postgres: (table) => sql`select i.indexrelid as a, a.attname as b from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = to_regclass(${sql.lit(quoted(table))}) and i.indisunique and i.indisvalid
      and i.indpred is null and i.indexprs is null`,
  mysql: (table) => sql`select index_name as a, column_name as b from information_schema.statistics
    where ${ofTable(table)} and non_unique = 0`,
}

async function findColumns(access: Access, table: Table): Promise<readonly FoundColumn[]> {
  const rows = await list(access, columnQueries[access.dialect.kind](table.name))
  return rows.map(([name, length, isFolding]) => ({
    name: String(name),
    length: length === null || length === undefined ? null : Number(length),
    isFolding: Number(isFolding) === 1,
  }))
}

const columnQueries: Readonly<Record<DatabaseKind, (table: string) => RawBuilder<unknown>>> = {
  // SQLite ignores lengths, and the adapter names the collation of each comparison.
  sqlite(table) {
    const [name, schema = "main"] = table.split(".").toReversed()
    return sql`select name as a, null as b, 0 as c from pragma_table_info(${sql.lit(name)}, ${sql.lit(schema)})`
  },
  postgres: (table) => sql`select a.attname as a,
      case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end as b,
      case when t.typname = 'citext' or c.collisdeterministic = false then 1 else 0 end as c
    from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = to_regclass(${sql.lit(quoted(table))}) and a.attnum > 0 and not a.attisdropped`,
  mysql: (table) => sql`select column_name as a, character_maximum_length as b,
      case when collation_name like '%\\_ci' then 1 else 0 end as c
    from information_schema.columns where ${ofTable(table)}`,
}

function ofTable(table: string): RawBuilder<unknown> {
  const [name, schema] = table.split(".").toReversed()
  return sql`table_schema = ${schema === undefined ? sql`database()` : sql.lit(schema)} and table_name = ${sql.lit(name)}`
}

function quoted(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".")
}

function findColumnDefects(access: Access, table: Table, found: readonly FoundColumn[]): readonly StoreDefect[] {
  const { schema, dialect } = access
  const identifying = new Set([...uniquesOf(schema, table).flat()])
  return table.columns.flatMap((column): readonly StoreDefect[] => {
    const actual = found.find(({ name }) => name === column.name)
    if (!actual || table.extra.includes(column)) return []
    const statement = alterColumn(access, table, column)
    const isToken = table === schema.account && column.kind === "text" && /token$/.test(column.field)
    const isShort = isToken && actual.length !== null && actual.length < tokenLength
    const isFolding = actual.isFolding && identifying.has(column.name) && /key$/i.test(column.kind)
    const short = `${table.name}.${column.name} holds ${actual.length} characters, and the tokens of many providers are longer`
    const folding = `${table.name}.${column.name} takes letters of different case for equal, so ids that differ in case collide`
    return [
      ...(isShort ? [{ kind: "column" as const, sentence: short, statement }] : []),
      ...(isFolding && dialect.kind !== "sqlite" ? [{ kind: "collation" as const, sentence: folding, statement }] : []),
    ]
  })
}

/** The statement that gives a column the type of a new table. */
function alterColumn({ dialect, db }: Access, table: Table, { name, kind, presence }: Column): string {
  const type = sql.raw(dialect.columnTypes[kind])
  const [of, column] = [sql.table(table.name), sql.ref(name)]
  const nullness = sql.raw(presence === "required" && !table.isNullable ? " not null" : "")
  const change =
    dialect.kind === "mysql"
      ? sql`alter table ${of} modify ${column} ${type}${nullness}`
      : sql`alter table ${of} alter column ${column} type ${type}${sql.raw(isText(kind) ? ' collate "default"' : "")}`
  return change.compile(db).sql
}

const isText = (kind: Column["kind"]) => kind === "key" || kind === "longKey" || kind === "text"

const nowQueries: Readonly<Record<DatabaseKind, RawBuilder<unknown> | null>> = {
  // The database runs in the process of the app.
  sqlite: null,
  postgres: sql`select extract(epoch from clock_timestamp()) as a`,
  mysql: sql`select unix_timestamp(now(3)) as a`,
}

async function findClockDefect(access: Access): Promise<readonly StoreDefect[]> {
  const query = nowQueries[access.dialect.kind]
  const [row] = query ? await list(access, query) : []
  const ahead = row ? Number(row[0]) - Date.now() / 1000 : 0
  if (!(Math.abs(ahead) > maxClockSeconds)) return []
  const seconds = Math.round(Math.abs(ahead))
  const sentence = `The clock of the database is ${seconds} seconds ${ahead > 0 ? "ahead of" : "behind"} that of this machine`
  return [{ kind: "clock", sentence, statement: "timedatectl set-ntp true" }]
}
