import { firstColumns, type Table } from "../tables/column.js"
import type { TableShape } from "./schema-change.js"

/** What a table has when it is made, and what joins its rows with their users. */
export function shapesOf(table: Table): readonly TableShape[] {
  const { name, rowId, link } = table
  const columns = firstColumns(table).map((column) => column.name)
  const own = { name, columns: rowId === undefined ? columns : [rowId, ...columns] }
  return link === undefined ? [own] : [own, { name: link.name, columns: [link.owned, link.owner] }]
}
