import { getColumn, type RecordTable } from "./record-table.js"

/**
 * The id with which a user is written. A column with a default makes its own, as the host wants it; undefined where the
 * database does that and can tell which one it made. Else it is the one that was given, or a random UUID.
 */
export function newUserId(users: RecordTable, returnsRows: boolean): (given: string | undefined) => unknown {
  const { column } = getColumn(users, "id")
  const { defaultFn, hasDefault, dataType } = column
  if (defaultFn !== undefined) return () => defaultFn()
  const isCounted = dataType === "number" || dataType === "bigint"
  if (hasDefault && (returnsRows || isCounted)) return () => undefined
  return (given) => given ?? crypto.randomUUID()
}
