import type { SQL } from "drizzle-orm"
import { getColumn } from "../tables/record-table.js"
import { countOf, madeIdOf } from "./mysql-result.js"
import type { Selected } from "./query-builders.js"
import type { RowAccess } from "./row-access.js"
import type { Key, TableStatements } from "./table-statements.js"

type Values = Readonly<Record<string, unknown>>

/** A row, by its key and by the condition that it has this key. */
interface Place {
  readonly key: Key
  readonly condition: SQL
}

/** Writes rows and says what they are then. */
export interface RowWrites<T> {
  insert(values: Values): Promise<T | null>
  insertOnce(values: Values): Promise<boolean>
  update(place: Place, values: Values): Promise<T | null>
  /** The row, to the one caller whose statement has removed it. */
  remove(place: Place): Promise<T | null>
  removeAll(condition: SQL): Promise<number>
}

interface Reading<T> {
  readonly statements: TableStatements<T>
  find(key: Key): Promise<T | null>
}

export function rowWrites<T>(access: RowAccess, reading: Reading<T>): RowWrites<T> {
  return access.returnsRows ? returningWrites(access, reading) : countingWrites(access, reading)
}

/** For databases whose writing statements return the rows they wrote. */
function returningWrites<T>({ db, run }: RowAccess, { statements }: Reading<T>): RowWrites<T> {
  const { record, selected } = statements
  const { table } = record
  const one: Selected = Object.fromEntries(record.key.map((field) => [field, getColumn(record, field).column]))
  const read = ([row]: readonly Values[]) => (row === undefined ? null : statements.read(row))
  return {
    insert: async (values) => read(await run(() => db.insert(table).values(values).returning(selected))),
    insertOnce: async (values) =>
      (await run(() => db.insert(table).values(values).onConflictDoNothing().returning(one))).length > 0,
    update: async ({ condition }, values) =>
      read(await run(() => db.update(table).set(values).where(condition).returning(selected))),
    remove: async ({ condition }) => read(await run(() => db.delete(table).where(condition).returning(selected))),
    removeAll: async (condition) => (await run(() => db.delete(table).where(condition).returning(one))).length,
  }
}

/**
 * For the others: the row is read beside the statement. Who has removed a row is told by the statement's count alone.
 */
function countingWrites<T>({ db, run }: RowAccess, { statements, find }: Reading<T>): RowWrites<T> {
  const { table, key: keyFields } = { table: statements.record.table, key: statements.record.key }
  const removeAll = async (condition: SQL) => countOf(await run(() => db.delete(table).where(condition)))
  return {
    async insert(values) {
      const made = await run(() => db.insert(table).values(values))
      const [missing] = keyFields.filter((field) => values[field] === undefined)
      return await find(missing === undefined ? toTextKey(statements.keyOf(values)) : { [missing]: madeIdOf(made) })
    },
    insertOnce: async (values) => countOf(await run(() => db.insert(table).ignore().values(values))) > 0,
    async update({ key, condition }, values) {
      await run(() => db.update(table).set(values).where(condition))
      return await find(key)
    },
    async remove({ key, condition }) {
      const found = await find(key)
      return (await removeAll(condition)) > 0 ? found : null
    },
    removeAll,
  }
}

/** Ids may be numbers in the table; rows are looked up by text. */
function toTextKey(key: Key): Key {
  return Object.fromEntries(Object.entries(key).map(([field, value]) => [field, String(value)]))
}
