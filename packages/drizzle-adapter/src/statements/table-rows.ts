import type { Row } from "./query-builders.js"
import type { RowAccess } from "./row-access.js"
import { type RowWrites, rowWrites } from "./row-writes.js"
import type { Key, TableStatements } from "./table-statements.js"

/** The rows of one table as records of the contract. The database alone decides between callers that come at once. */
export interface TableRows<T> {
  find(key: Key): Promise<T | null>
  list(key: Key): Promise<T[]>
  /** Writes the fields that the table has columns for. Throws when a unique column has the value already. */
  insert(record: object): Promise<T>
  /** Whether this caller has made the row: false where one with the key is there already. */
  insertOnce(record: object): Promise<boolean>
  /** Null when there is no such row; never makes one. */
  update(key: Key, changes: object): Promise<T | null>
  /** Sets a number, unless a larger one is there already. Null when there is no such row. */
  raise(key: Key, field: string, value: number): Promise<T | null>
  /** The row, to the one caller who has removed it; null to all others. */
  remove(key: Key): Promise<T | null>
  /** Removes the rows whose date lies before the instant, and says how many they were. */
  removeBefore(field: string, instant: Date): Promise<number>
}

export function tableRows<T>(access: RowAccess, statements: TableStatements<T>): TableRows<T> {
  const list = async (key: Key) => (await selectRows(access, statements, key)).map((row) => statements.read(row))
  const find = async (key: Key) => (await list(key))[0] ?? null
  const writes: RowWrites<T> = rowWrites(access, { statements, find })
  const write = async (key: Key, values: Readonly<Record<string, unknown>>) => {
    const condition = statements.matching(key)
    return condition === null ? null : await writes.update({ key, condition }, values)
  }
  return {
    find,
    list,
    insert: async (record) => (await writes.insert(statements.valuesOf(record))) ?? fail(),
    insertOnce: (record) => writes.insertOnce(statements.valuesOf(record)),
    async update(key, changes) {
      const values = statements.valuesOf(changes)
      return Object.keys(values).length === 0 ? await find(key) : await write(key, values)
    },
    raise: (key, field, value) => write(key, { [field]: statements.larger(field, value) }),
    async remove(key) {
      const condition = statements.matching(key)
      return condition === null ? null : await writes.remove({ key, condition })
    },
    removeBefore: (field, instant) => writes.removeAll(statements.isBefore(field, instant)),
  }
}

async function selectRows<T>({ db, run }: RowAccess, statements: TableStatements<T>, key: Key): Promise<Row[]> {
  const { record, selected } = statements
  const condition = statements.matching(key)
  if (condition === null) return []
  return await run(() => db.select(selected).from(record.table).where(condition).$withCache(false))
}

function fail(): never {
  throw new Error("The row is gone right after its insertion")
}
