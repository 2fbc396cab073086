import type { Key, Lifetime } from "@latchkey/adapter-kit"
import { type Compilable, type Kysely, type RawBuilder, sql } from "kysely"
import { type Column, getColumn, type Table } from "../tables/table.js"
import { keyParameters, matchesKey, placeholder, type Selection, selection } from "./clauses.js"
import { toKeyParameter, toParameter } from "./column-value.js"
import type { AnyInsert, SqlDialect } from "./dialect.js"
import type { AnyTables, CompiledStatement, SqlParameter } from "./runner.js"

/**
 * The statements on one table. Each is compiled once per set of fields; the table's columns limit the number of sets.
 * Names in a statement come from the table's columns, never from a record. Statements that write return the rows they
 * wrote if the database supports that. A statement is null if no row can have the key.
 */
export class TableStatements<T> {
  readonly table: Table
  readonly selection: Selection<T>
  readonly #db: Kysely<AnyTables>
  readonly #dialect: SqlDialect
  readonly #compiled = new Map<string, CompiledStatement>()

  constructor(table: Table, db: Kysely<AnyTables>, dialect: SqlDialect) {
    this.table = table
    this.selection = selection(table, dialect)
    this.#db = db
    this.#dialect = dialect
  }

  select(key: Key): CompiledStatement | null {
    const columns = this.#columns(key)
    const build = () =>
      this.#db.selectFrom(this.table.name).select(this.selection.columns).where(matchesKey(columns, this.#dialect))
    return this.#compile(`select by ${names(columns)}`, build, keyParameters(columns, key, this.#dialect))
  }

  /** Selects rows and locks them until the transaction ends. */
  selectLocked(key: Key): CompiledStatement | null {
    const columns = this.#columns(key)
    const build = () =>
      this.#db
        .selectFrom(this.table.name)
        .select(this.selection.columns)
        .where(matchesKey(columns, this.#dialect))
        .forUpdate()
    return this.#compile(`select locked by ${names(columns)}`, build, keyParameters(columns, key, this.#dialect))
  }

  /** Deletes nothing, but waits for the write lock of SQLite. */
  lockDatabase(): CompiledStatement {
    const build = () => this.#db.deleteFrom(this.table.name).where(sql<boolean>`1 = 0`)
    return this.#compile("lock", build, [])
  }

  insert(record: object): CompiledStatement {
    const columns = this.#present(record)
    const build = () => this.#returning(this.#insertion(columns))
    return this.#compile(`insert ${names(columns)}`, build, this.#insertedValues(columns, record))
  }

  /**
   * Inserts rows, in statements for 256 rows, 128 and so on, so that there are few of them. Columns that only some of the
   * records have a value for are null in the others. Ids that the database would generate are kept, and it goes on after them.
   */
  insertMany(records: readonly object[]): readonly CompiledStatement[] {
    const columns = this.table.columns.filter(({ field }) =>
      records.some((record) => Reflect.get(record, field) != null),
    )
    const statements: CompiledStatement[] = []
    for (let from = 0; from < records.length; ) {
      const size = Math.min(maxRows, 2 ** Math.floor(Math.log2(records.length - from)))
      const parameters = records.slice(from, from + size).flatMap((record) => this.#insertedValues(columns, record))
      const build = () => this.#insertionOf(size, columns)
      statements.push(this.#compile(`insert ${size} ${names(columns)}`, build, parameters))
      from += size
    }
    const raise = this.#raiseSequence(records)
    return raise === null ? statements : [...statements, raise]
  }

  /** MySQL and SQLite go on after the largest id by themselves. */
  #raiseSequence(records: readonly object[]): CompiledStatement | null {
    const column = this.#generatedId()
    if (column === null) return null
    let largest: Exclude<SqlParameter, null> = 0
    for (const record of records) {
      const id = toParameter(Reflect.get(record, "id"), column, this.#dialect)
      if (id !== null && id > largest) largest = id
    }
    const build = () => ({ compile: () => raiseSequence(this.table.name, column.name).compile(this.#db) })
    return this.#compile("raise sequence", build, [largest, largest, largest])
  }

  /** The column whose values PostgreSQL generates. */
  #generatedId(): Column | null {
    const { columns, key } = this.table
    if (this.#dialect.kind !== "postgres" || !key.includes("id")) return null
    return columns.find(({ field, kind }) => field === "id" && kind === "integerKey") ?? null
  }

  /** Why a record cannot be a row. The message has no value. */
  findMistake(record: object): string | null {
    try {
      this.#parameters(this.table.columns, record)
      return null
    } catch (error) {
      if (error instanceof TypeError) return error.message
      throw error
    }
  }

  /** Inserts nothing if a row with the key exists. */
  insertOrIgnore(record: object): CompiledStatement {
    const columns = this.#present(record)
    const build = () => this.#dialect.ignoreConflict(this.#insertion(columns))
    return this.#compile(`insert or ignore ${names(columns)}`, build, this.#insertedValues(columns, record))
  }

  /** Links a record's row to its user. Null if the layout has no table for that. */
  link(record: object): CompiledStatement | null {
    const { link, rowId = "id", name } = this.table
    if (link === undefined) return null
    const key = this.keyOf(record)
    const columns = this.#columns(key)
    const userId = getColumn(this.table, "userId").name
    const row = this.#db
      .selectFrom(name)
      .select([sql.ref(rowId).as("c0"), sql.ref(userId).as("c1")])
      .where(matchesKey(columns, this.#dialect))
    const build = () => this.#db.insertInto(link.name).columns([link.owned, link.owner]).expression(row)
    return this.#compile(`link by ${names(columns)}`, build, keyParameters(columns, key, this.#dialect))
  }

  /** Also null when there is nothing to change. */
  update(key: Key, changes: object): CompiledStatement | null {
    const columns = this.#present(changes)
    if (columns.length === 0) return null
    const values = new Map(columns.map((column) => [column.name, sql`${placeholder}`]))
    return this.#update({ name: names(columns), values, parameters: this.#parameters(columns, changes) }, key)
  }

  /** As `update`, if the row's `expires` is later than an instant, or not. */
  updateWithin(key: Key, changes: object, lifetime: Lifetime): CompiledStatement | null {
    const columns = this.#present(changes)
    const values = new Map(columns.map((column) => [column.name, sql`${placeholder}`]))
    return this.#update({ name: names(columns), values, parameters: this.#parameters(columns, changes) }, key, lifetime)
  }

  /** Sets a number unless the stored one is larger. */
  raise(key: Key, field: string, value: number): CompiledStatement | null {
    const column = getColumn(this.table, field)
    const current = sql.ref(column.name)
    const larger = sql`case when ${current} < ${placeholder} then ${placeholder} else ${current} end`
    const parameter = toParameter(value, column, this.#dialect)
    const values = new Map([[column.name, larger]])
    return this.#update({ name: `larger ${column.name}`, values, parameters: [parameter, parameter] }, key)
  }

  remove(key: Key): CompiledStatement | null {
    const columns = this.#columns(key)
    const build = () => this.#returning(this.#db.deleteFrom(this.table.name).where(matchesKey(columns, this.#dialect)))
    return this.#compile(`delete by ${names(columns)}`, build, keyParameters(columns, key, this.#dialect))
  }

  /**
   * Selects the rows with a key and one of many values in a field, up to 1024 of them in a statement. No row can have the values
   * that are left out.
   */
  selectAny(key: Key, field: string, values: readonly string[]): readonly CompiledStatement[] {
    const [columns, column] = [this.#columns(key), getColumn(this.table, field)]
    const found = keyParameters(columns, key, this.#dialect)
    if (found === null) return []
    const wanted = values.flatMap((value) => toKeyParameter(value, column, this.#dialect) ?? [])
    const statements: CompiledStatement[] = []
    for (let from = 0; from < wanted.length; from += maxListed) {
      const listed = padded(wanted.slice(from, from + maxListed))
      const build = () => {
        const list = sql.join(listed.map(() => sql`${placeholder}`))
        const select = this.#db.selectFrom(this.table.name).select(this.selection.columns)
        const isListed = sql<boolean>`${sql.ref(column.name)} in (${list})`
        return columns.length === 0
          ? select.where(isListed)
          : select.where(matchesKey(columns, this.#dialect)).where(isListed)
      }
      const name = `select ${listed.length} ${column.name} by ${names(columns)}`
      statements.push(this.#compile(name, build, [...found, ...listed]))
    }
    return statements
  }

  /** Deletes the rows whose field has one of the values. The last one is repeated, so that there are few statements. */
  removeAll(field: string, values: readonly string[]): CompiledStatement {
    const column = getColumn(this.table, field)
    const listed = padded(values)
    const build = () => {
      const list = sql.join(listed.map(() => sql`${placeholder}`))
      return this.#db.deleteFrom(this.table.name).where(sql<boolean>`${sql.ref(column.name)} in (${list})`)
    }
    const parameters = listed.map((value) => toParameter(value, column, this.#dialect))
    return this.#compile(`delete ${listed.length} by ${column.name}`, build, parameters)
  }

  /** The fields of the table's key that a record contains. */
  keyOf(record: object): Key {
    const isKey = ([field, value]: [string, unknown]) => this.table.key.includes(field) && value !== undefined
    return Object.fromEntries(Object.entries(record).filter(isKey))
  }

  #update({ name, values, parameters }: Update, key: Key, lifetime?: Lifetime): CompiledStatement | null {
    const columns = this.#columns(key)
    const set = Object.fromEntries(values)
    const build = () => {
      const update = this.#db.updateTable(this.table.name).set(set).where(matchesKey(columns, this.#dialect))
      return this.#returning(lifetime ? update.where(this.#expires(lifetime)) : update)
    }
    const found = keyParameters(columns, key, this.#dialect)
    const instants = lifetime ? [toParameter(instantOf(lifetime), getColumn(this.table, "expires"), this.#dialect)] : []
    const ending = lifetime ? ` ${Object.keys(lifetime).join()}` : ""
    return this.#compile(
      `update ${name} by ${names(columns)}${ending}`,
      build,
      found && [...parameters, ...found, ...instants],
    )
  }

  #expires(lifetime: Lifetime): RawBuilder<boolean> {
    const expires = sql.ref(getColumn(this.table, "expires").name)
    return "after" in lifetime ? sql`${expires} > ${placeholder}` : sql`${expires} <= ${placeholder}`
  }

  #compile(name: string, build: () => Compilable, parameters: readonly SqlParameter[]): CompiledStatement
  #compile(name: string, build: () => Compilable, parameters: readonly SqlParameter[] | null): CompiledStatement | null
  #compile(name: string, build: () => Compilable, parameters: readonly SqlParameter[] | null) {
    if (parameters === null) return null
    const known = this.#compiled.get(name)
    if (known !== undefined) return { ...known, parameters }
    const compiled: CompiledStatement = { ...build().compile(), parameters }
    this.#compiled.set(name, { ...compiled, parameters: [] })
    return compiled
  }

  /** The row id comes first, then the record's columns. */
  #insertion(columns: readonly Column[], rows = 1): AnyInsert {
    const inserted = [...(this.table.rowId === undefined ? [] : [this.table.rowId]), ...columns.map(({ name }) => name)]
    const values = Object.fromEntries(inserted.map((name) => [name, placeholder]))
    return this.#db.insertInto(this.table.name).values(rows === 1 ? values : Array.from({ length: rows }, () => values))
  }

  /** Keeps ids that PostgreSQL always generates. */
  #insertionOf(rows: number, columns: readonly Column[]): AnyInsert {
    if (this.#generatedId() === null) return this.#insertion(columns, rows)
    const values = sql`(${sql.join(columns.map(() => sql`${placeholder}`))})`
    const all = sql.join(Array.from({ length: rows }, () => values))
    const insert = this.#db.insertInto(this.table.name).columns(columns.map(({ name }) => name))
    return insert.expression(sql`overriding system value values ${all}`)
  }

  #insertedValues(columns: readonly Column[], record: object): SqlParameter[] {
    const values = this.#parameters(columns, record)
    return this.table.rowId === undefined ? values : [crypto.randomUUID(), ...values]
  }

  #returning<Q extends Compilable & { returning(columns: Selection<T>["columns"]): Compilable }>(query: Q): Compilable {
    return this.#dialect.returnsRows ? query.returning(this.selection.columns) : query
  }

  #columns(key: Key): Column[] {
    return Object.keys(key).map((field) => getColumn(this.table, field))
  }

  /** The columns for which a record has a value. Its other fields are not written. */
  #present(record: object): Column[] {
    const fields = new Map(Object.entries(record))
    return this.table.columns.filter((column) => fields.get(column.field) !== undefined)
  }

  #parameters(columns: readonly Column[], record: object): SqlParameter[] {
    const fields = new Map<string, unknown>(Object.entries(record))
    return columns.map((column) => toParameter(fields.get(column.field), column, this.#dialect))
  }
}

/** With the 30 columns of a wide table, a statement has 7,680 parameters. SQLite takes 32,766. */
const maxRows = 256

const maxListed = 1024

/**
 * Lets the sequence of a column go on after an id, unless it is there already. The parameters are the id, three times. The column
 * owns the sequence, or has it in its default; the row of the id tells the table.
 */
function raiseSequence(table: string, column: string): RawBuilder<unknown> {
  const name = sql.lit(column)
  const own = sql`pg_get_serial_sequence(tableoid::regclass::text, ${name})`
  const named = sql`(select substring(pg_get_expr(d.adbin, d.adrelid) from ${sql.lit("nextval\\('(.*)'::regclass\\)")})
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = t.tableoid and a.attname = ${name})`
  return sql`select setval(s.name, ${placeholder}::bigint) from (
    select coalesce(${own}, ${named})::regclass as name from ${sql.table(table)} as t
    where ${sql.ref(`t.${column}`)} = ${placeholder}::bigint
  ) as s where s.name is not null and ${placeholder}::bigint > coalesce(pg_sequence_last_value(s.name), 0)`
}

/** Values up to the next power of two, so that there are few statements: the last one is repeated. */
function padded<T>(values: readonly T[]): readonly T[] {
  const size = 2 ** Math.ceil(Math.log2(values.length))
  return [...values, ...Array.from({ length: size - values.length }, () => values.slice(-1)).flat()]
}

/** The columns that an update sets, and a name for them. */
interface Update {
  readonly name: string
  readonly values: ReadonlyMap<string, RawBuilder<unknown>>
  readonly parameters: readonly SqlParameter[]
}

function instantOf(lifetime: Lifetime): Date {
  return "after" in lifetime ? lifetime.after : lifetime.until
}

function names(columns: readonly Column[]): string {
  return columns.map((column) => column.name).join()
}
