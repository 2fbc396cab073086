import { type Compilable, type Kysely, type RawBuilder, sql } from "kysely"
import { type Column, getColumn, type Table } from "../tables/column.js"
import type { AnyTables } from "./any-kysely.js"
import { type SqlParameter, toParameter } from "./column-value.js"
import type { SqlDialect } from "./dialect.js"
import type { CompiledStatement } from "./kysely-runner.js"
import { type Selection, selection } from "./selection.js"

/** Fields of a record that together find rows. */
export type Key = Readonly<Record<string, unknown>>

/** Stands where a parameter goes while a statement is compiled. */
export const placeholder = ""

/**
 * The statements over one table. Each is compiled once for each set of fields; the sets are limited by the table's
 * columns. Names in a statement come from the table's columns alone, never from a record. Where the database can, a
 * statement that writes returns what it wrote.
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

  select(key: Key): CompiledStatement {
    const columns = this.#columns(key)
    const build = () => this.#db.selectFrom(this.table.name).select(this.selection.columns).where(matches(columns))
    return this.#compile(`select by ${names(columns)}`, build, this.#parameters(columns, key))
  }

  insert(record: object): CompiledStatement {
    const columns = this.#present(record)
    const values = Object.fromEntries(columns.map((column) => [column.name, placeholder]))
    const build = () => this.#returning(this.#db.insertInto(this.table.name).values(values))
    return this.#compile(`insert ${names(columns)}`, build, this.#parameters(columns, record))
  }

  /** Null when there is nothing to change. */
  update(key: Key, changes: object): CompiledStatement | null {
    const columns = this.#present(changes)
    if (columns.length === 0) return null
    const values = new Map(columns.map((column) => [column.name, sql`${placeholder}`]))
    return this.#update(names(columns), values, this.#parameters(columns, changes), key)
  }

  /** Sets a number, unless a larger one is there already. */
  raise(key: Key, field: string, value: number): CompiledStatement {
    const column = getColumn(this.table, field)
    const current = sql.ref(column.name)
    const larger = sql`case when ${current} < ${placeholder} then ${placeholder} else ${current} end`
    const parameter = toParameter(value, column, this.#dialect)
    return this.#update(`larger ${column.name}`, new Map([[column.name, larger]]), [parameter, parameter], key)
  }

  remove(key: Key): CompiledStatement {
    const columns = this.#columns(key)
    const build = () => this.#returning(this.#db.deleteFrom(this.table.name).where(matches(columns)))
    return this.#compile(`delete by ${names(columns)}`, build, this.#parameters(columns, key))
  }

  removeBefore(field: string, instant: Date): CompiledStatement {
    const column = getColumn(this.table, field)
    const isBefore = () => this.#dialect.isBefore(sql.ref(column.name), placeholder)
    const build = () => this.#db.deleteFrom(this.table.name).where(isBefore())
    return this.#compile(`delete before ${column.name}`, build, [toParameter(instant, column, this.#dialect)])
  }

  #update(
    name: string,
    values: ReadonlyMap<string, RawBuilder<unknown>>,
    parameters: readonly SqlParameter[],
    key: Key,
  ): CompiledStatement {
    const columns = this.#columns(key)
    const set = Object.fromEntries(values)
    const build = () => this.#returning(this.#db.updateTable(this.table.name).set(set).where(matches(columns)))
    const all = [...parameters, ...this.#parameters(columns, key)]
    return this.#compile(`update ${name} by ${names(columns)}`, build, all)
  }

  #compile(name: string, build: () => Compilable, parameters: readonly SqlParameter[]): CompiledStatement {
    const known = this.#compiled.get(name)
    if (known !== undefined) return { ...known, parameters }
    const compiled: CompiledStatement = { ...build().compile(), parameters }
    this.#compiled.set(name, { ...compiled, parameters: [] })
    return compiled
  }

  #returning<Q extends Compilable & { returning(columns: Selection<T>["columns"]): Compilable }>(query: Q): Compilable {
    return this.#dialect.returnsRows ? query.returning(this.selection.columns) : query
  }

  #columns(key: Key): Column[] {
    return Object.keys(key).map((field) => getColumn(this.table, field))
  }

  /** The columns for which a record has a value; what it has besides has no column and goes nowhere. */
  #present(record: object): Column[] {
    const fields = new Map(Object.entries(record))
    return this.table.columns.filter((column) => fields.get(column.field) !== undefined)
  }

  #parameters(columns: readonly Column[], record: object): SqlParameter[] {
    const fields = new Map<string, unknown>(Object.entries(record))
    return columns.map((column) => toParameter(fields.get(column.field), column, this.#dialect))
  }
}

function names(columns: readonly Column[]): string {
  return columns.map((column) => column.name).join()
}

function matches(columns: readonly Column[]): RawBuilder<boolean> {
  const equalities = columns.map((column) => sql`${sql.ref(column.name)} = ${placeholder}`)
  return sql<boolean>`${sql.join(equalities, sql` and `)}`
}
