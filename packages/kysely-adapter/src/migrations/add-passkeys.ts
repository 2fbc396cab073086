import { addColumn, dropColumn } from "./alter-table.js"
import { createTable } from "./create-table.js"
import type { SchemaChange } from "./schema-change.js"
import { shapesOf } from "./table-shape.js"

/** What the owner of a passkey sees of it, and the table of what was spent. */
export const addPasskeys: SchemaChange = {
  up: (target) => {
    const { authenticator, spent } = target.schema
    const columns = authenticator.later.flatMap((column) => addColumn(target, authenticator, column))
    return [...columns, ...(spent ? createTable(target, spent, { unique: [spent.key], isOwned: false }) : [])]
  },
  down: (target) => {
    const { authenticator, spent } = target.schema
    return [
      ...(spent ? [target.db.schema.dropTable(spent.name).ifExists()] : []),
      ...authenticator.later.flatMap((column) => dropColumn(target, authenticator, column)),
    ]
  },
  shapes: ({ spent }) => (spent ? shapesOf(spent) : []),
}
