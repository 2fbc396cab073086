import { createHash } from "node:crypto"
import type { DatabaseKind } from "@latchkey/kysely-adapter"
import { type ColumnMetadata, type RawBuilder, sql, type TableMetadata } from "kysely"
import { UsageError } from "../config.js"
import { openForReading, type ReadableDatabase } from "../open-database.js"
import type { ImportOptions, MadeUser, SourceContext, SourceRow } from "./records.js"
import { getOwn, toDate, toObject } from "./values.js"

/** What a table of a source looks like. Names match in camel case, in snake case and in the plural. */
export interface TableShape<Column extends string> {
  /** Its name in the options `tables` and `columns`. */
  readonly record: string
  /** The usual names. Default: that of the record. */
  readonly names?: readonly string[]
  /** The columns that are read, if they exist. The first is the key by which pages are read. */
  readonly columns: readonly [Column, ...Column[]]
  /** The columns without which it is another table. */
  readonly required: readonly Column[]
  /** Further names of columns. */
  readonly others?: Readonly<Partial<Record<Column, readonly string[]>>>
}

/** A row, by the names of the shape. Columns that do not exist are undefined. */
export type SourceTableRow<Column extends string = string> = Readonly<Partial<Record<Column, unknown>>>

/** A table of a source. Nothing is written. */
export interface SourceTable<Column extends string> {
  /** The whole name, for errors. */
  readonly name: string
  /** All of its columns, as it has them. */
  readonly columnNames: readonly string[]
  has(column: Column): boolean
  keyOf(row: SourceTableRow<Column>): unknown
  count(): Promise<number>
  /** How many rows have each value of a column. */
  tally(column: Column): Promise<ReadonlyMap<string, number>>
  /** How many rows have each beginning of a column, up to a character. */
  tallyPrefix(column: Column, end: string): Promise<ReadonlyMap<string, number>>
  /** How many rows have a value in a column. */
  countFilled(column: string): Promise<number>
  /** The next rows by the key. */
  page(after: string | undefined, size: number): Promise<readonly SourceTableRow<Column>[]>
  /** The rows of the users of a page, by user. */
  rowsBy(column: Column, values: readonly string[]): Promise<ReadonlyMap<string, readonly SourceTableRow<Column>[]>>
}

/** A source in a database. */
export interface SourceDatabase {
  /** Of the address without its password. */
  readonly fingerprint: string
  /**
   * Finds a table.
   * @param extra Further columns, as the table has them
   * @throws UsageError if there is none, or one without a column that is required or extra
   */
  table<Column extends string>(shape: TableShape<Column>, extra?: readonly string[]): SourceTable<Column>
  /** Like `table`, but null if the table does not exist. */
  findTable<Column extends string>(shape: TableShape<Column>): SourceTable<Column> | null
  close(): Promise<void>
}

/** @throws UsageError if no database is named, or it cannot be opened */
export async function openSourceDatabase(context: SourceContext, source: string): Promise<SourceDatabase> {
  const { argument, folder, options } = context
  if (argument === undefined)
    throw new UsageError(`Name the database of ${source}: postgres://, mysql://, sqlite:<file> or pglite:<folder>.`)
  const place = JSON.stringify([withoutPassword(argument), options.tables ?? null])
  const fingerprint = createHash("sha256").update(place).digest("base64url")
  return toSourceDatabase(await openForReading(argument, folder), { fingerprint, source, options })
}

interface SourceNames {
  readonly fingerprint: string
  /** How errors name it. */
  readonly source: string
  readonly options: ImportOptions
}

/** Closes the database if its tables cannot be listed. */
export async function toSourceDatabase(
  { db, kind, close }: ReadableDatabase,
  { fingerprint, source, options }: SourceNames,
): Promise<SourceDatabase> {
  try {
    const tables = await db.introspection.getTables()
    const open = <Column extends string>(shape: TableShape<Column>, extra: readonly string[] = []) => {
      const found = findTable(tables, shape, options)
      return found && openTable<Column>({ db, kind }, resolveColumns(found, { shape, extra, options }))
    }
    return {
      fingerprint,
      findTable: (shape) => open(shape) ?? null,
      table(shape, extra) {
        const table = open(shape, extra)
        if (table) return table
        throw new UsageError(
          `The database has no table ${toNames(shape)} of ${source}. Name it in latchkey.config.ts: ` +
            `import: { tables: { ${shape.record}: "..." } }.`,
        )
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function withoutPassword(address: string): string {
  try {
    const { protocol, username, host, pathname, searchParams } = new URL(address)
    searchParams.delete("password")
    // A parameter may name the schema.
    return [protocol, username, host, pathname, searchParams].join("|")
  } catch {
    return address // A file without slashes, which has no password.
  }
}

function toNames<Column extends string>({ record, names = [record] }: TableShape<Column>): string {
  return names.map((name) => `"${name}"`).join(" or ")
}

/** `emailVerified`, `email_verified` and `emailverified`, which PostgreSQL makes of a name without quotes. */
function toPlain(name: string): string {
  return name.toLowerCase().replaceAll("_", "")
}

/** A table of the named schema, else of the public one, else of any. Exact names come first. */
function findTable<Column extends string>(
  tables: readonly TableMetadata[],
  shape: TableShape<Column>,
  options: ImportOptions,
): TableMetadata | undefined {
  const { record, names = [record], required } = shape
  const chosen = Object.hasOwn(options.tables ?? {}, record) ? options.tables?.[record] : undefined
  if (chosen !== undefined) {
    const isChosen = ({ schema, name }: TableMetadata) => name === chosen || `${schema}.${name}` === chosen
    const found = tables.find(isChosen)
    if (found) return found
    throw new UsageError(`The database has no table "${chosen}", which import.tables.${record} names.`)
  }
  const wanted = names.flatMap((name) => [name, `${name}s`])
  const rank = ({ schema, name }: TableMetadata) => {
    const whole = [name, `${schema}.${name}`]
    const exact = wanted.findIndex((one) => whole.includes(one))
    const place = exact >= 0 ? exact : wanted.findIndex((one) => toPlain(one) === toPlain(name)) + wanted.length
    return 2 * place + (schema === undefined || schema === "public" ? 0 : 1)
  }
  const isNamed = ({ schema, name }: TableMetadata) =>
    wanted.some((one) => toPlain(one) === toPlain(name) || one === `${schema}.${name}`)
  const isWhole = (table: TableMetadata) =>
    required.every((column) => findColumn(table, toColumnNames(column, shape, options)))
  const found = tables.filter(isNamed).sort((one, other) => rank(one) - rank(other))
  return found.find(isWhole) ?? found[0]
}

function toColumnNames(column: string, shape: TableShape<string>, { columns = {} }: ImportOptions): readonly string[] {
  const named = Object.hasOwn(columns, shape.record) ? (columns[shape.record] ?? {}) : {}
  const chosen = Object.hasOwn(named, column) ? named[column] : undefined
  return chosen === undefined ? [column, ...(shape.others?.[column] ?? [])] : [chosen]
}

function findColumn({ columns }: TableMetadata, names: readonly string[]): ColumnMetadata | undefined {
  for (const name of names) {
    const found = columns.find((one) => one.name === name) ?? columns.find((one) => toPlain(one.name) === toPlain(name))
    if (found) return found
  }
  return undefined
}

interface ResolvedTable {
  readonly name: string
  readonly key: ColumnMetadata
  readonly keyName: string
  readonly columns: ReadonlyMap<string, ColumnMetadata>
  readonly columnNames: readonly string[]
}

interface Resolution {
  readonly shape: TableShape<string>
  readonly extra: readonly string[]
  readonly options: ImportOptions
}

function resolveColumns(table: TableMetadata, { shape, extra, options }: Resolution): ResolvedTable {
  const name = table.schema === undefined || table.schema === "public" ? table.name : `${table.schema}.${table.name}`
  const columns = new Map<string, ColumnMetadata>()
  for (const column of [...shape.columns, ...extra]) {
    const wanted = toColumnNames(column, shape, options)
    const found = findColumn(table, wanted)
    if (found) columns.set(column, found)
    else if (wanted[0] !== column || extra.includes(column) || shape.required.includes(column)) {
      throw new UsageError(
        `The table "${name}" has no column "${wanted[0]}". Name its columns in latchkey.config.ts: ` +
          `import: { columns: { ${shape.record}: { ${column}: "..." } } }.`,
      )
    }
  }
  const key = columns.get(shape.columns[0])
  if (!key) throw new UsageError(`The table "${name}" has no column "${shape.columns[0]}".`)
  return { name, key, keyName: shape.columns[0], columns, columnNames: table.columns.map((column) => column.name) }
}

type Opened = Pick<ReadableDatabase, "db" | "kind">

function openTable<Column extends string>({ db, kind }: Opened, table: ResolvedTable): SourceTable<Column> {
  const from = sql`from ${sql.table(table.name)}`
  const refer = (column: string): RawBuilder<unknown> => sql.ref(table.columns.get(column)?.name ?? table.key.name)
  const key = sql.ref(table.key.name)
  const selection = [...table.columns].map(([name, column]) => sql`${toSelected(column, kind)} as ${sql.id(name)}`)
  const select = sql`select ${sql.join(selection)} ${from}`
  const dates = [...table.columns].filter(([, column]) => isDate(column)).map(([name]) => name)
  const ask = async (query: RawBuilder<unknown>) => {
    const { rows } = await query.execute(db)
    const read = rows as readonly SourceTableRow<Column>[] // as: the selection names the columns of the shape
    return dates.length === 0 ? read : read.map((row) => readDates(row, dates))
  }
  const countRows = async (query: RawBuilder<unknown>) => {
    const [row = {}] = await ask(query)
    return Number(Reflect.get(row, "n"))
  }
  const tally = async (value: RawBuilder<unknown>) => {
    const rows = await ask(sql`select ${value} as value, count(*) as n ${from} group by 1`)
    return new Map(rows.map((row) => [String(Reflect.get(row, "value")), Number(Reflect.get(row, "n"))]))
  }
  return {
    name: table.name,
    columnNames: table.columnNames,
    keyOf: (row) => Reflect.get(row, table.keyName),
    has: (column) => table.columns.has(column),
    count: () => countRows(sql`select count(*) as n ${from}`),
    countFilled: (column) =>
      table.columns.has(column)
        ? countRows(sql`select count(*) as n ${from} where ${refer(column)} is not null`)
        : Promise.resolve(0),
    tally: (column) => tally(refer(column)),
    tallyPrefix: (column, end) => tally(toPrefix(refer(column), end, kind)),
    page: (after, size) =>
      ask(
        sql`${select} ${after === undefined ? sql`` : sql`where ${key} > ${after}`} order by ${key} limit ${sql.lit(size)}`,
      ),
    async rowsBy(column, values) {
      const groups = new Map<string, SourceTableRow<Column>[]>()
      if (values.length === 0) return groups
      for (const row of await ask(sql`${select} where ${refer(column)} in (${sql.join(values)}) order by ${key}`)) {
        const owner = String(row[column])
        groups.set(owner, [...(groups.get(owner) ?? []), row])
      }
      return groups
    },
  }
}

function toPrefix(column: RawBuilder<unknown>, end: string, kind: DatabaseKind): RawBuilder<unknown> {
  if (kind === "postgres") return sql`split_part(${column}, ${sql.lit(end)}, 1)`
  if (kind === "mysql") return sql`substring_index(${column}, ${sql.lit(end)}, 1)`
  return sql`substr(${column}, 1, instr(${column}, ${sql.lit(end)}) - 1)`
}

/** In the year 9999. */
const endOfTime = 253_402_300_799_000

/** SQLite has no type for dates, and tables of libraries name one nevertheless. */
function isDate({ dataType }: ColumnMetadata): boolean {
  return /^(?:timestamp|datetime|date$)/i.test(dataType)
}

/** Parses the named columns as dates. Values that are not dates stay unchanged. */
function readDates<Row extends SourceTableRow>(row: Row, names: readonly string[]): Row {
  const found = names.flatMap((name) => {
    const date = toDate(getOwn(row, name))
    return date === null ? [] : [[name, date]]
  })
  return { ...row, ...Object.fromEntries(found) }
}

/** Instants as milliseconds or as text in UTC: drivers read some of them in the time zone of their process. */
function toSelected(metadata: ColumnMetadata, kind: DatabaseKind): RawBuilder<unknown> {
  const column = sql.ref(metadata.name)
  if (!isDate(metadata) || kind === "sqlite") return sql`${column}`
  if (kind === "mysql") return sql`date_format(${column}, '%Y-%m-%dT%H:%i:%s.%fZ')`
  const milliseconds = sql`round(extract(epoch from date_trunc('milliseconds', ${column})) * 1000)::bigint`
  // Of "infinity", PostgreSQL makes no number.
  return sql`case when isfinite(${column}) then ${milliseconds} when ${column} is not null then ${sql.lit(endOfTime)} end`
}

/** The columns of a user that the option `fields` names: `role`, or `metadata.role` for a member of a JSON column. */
export function toFieldColumns({ fields = {} }: ImportOptions): readonly string[] {
  return [...new Set(Object.keys(fields).map((field) => field.split(".")[0] ?? field))]
}

/** The values of those columns, by the names of the target. */
export function readFields(row: SourceTableRow, { fields = {} }: ImportOptions): Readonly<Record<string, unknown>> {
  const read = (field: string) => {
    const [column = "", ...path] = field.split(".")
    return path.reduce<unknown>((value, name) => getOwn(toObject(value), name), getOwn(row, column)) ?? null
  }
  return Object.fromEntries(Object.entries(fields).map(([theirs, ours]) => [ours, read(theirs)]))
}

const pageSize = 500

/**
 * Reads a table of users in pages.
 * @param prepare Finds what belongs to the users of a page by their ids and rows, and returns what makes a user of each row
 */
export async function* readByPage<Column extends string>(
  table: SourceTable<Column>,
  after: string | undefined,
  prepare: (
    ids: readonly string[],
    rows: readonly SourceTableRow<Column>[],
  ) => Promise<(row: SourceTableRow<Column>, id: string) => MadeUser>,
): AsyncGenerator<SourceRow> {
  let cursor = after
  for (;;) {
    const rows = await table.page(cursor, pageSize)
    const pairs = rows.map((row) => ({ row, id: String(table.keyOf(row)) }))
    const make =
      rows.length > 0
        ? await prepare(
            pairs.map(({ id }) => id),
            rows,
          )
        : null
    for (const { row, id } of pairs) {
      const made = make?.(row, id) ?? ""
      cursor = id
      if (typeof made === "string") yield { kind: "refused", cursor, id, reason: made }
      else yield { kind: "user", cursor, user: made }
    }
    if (rows.length < pageSize) return
  }
}
