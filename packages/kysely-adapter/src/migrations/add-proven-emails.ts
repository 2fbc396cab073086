import { createTable } from "./create-table.js"
import type { SchemaChange } from "./schema-change.js"
import { shapesOf } from "./table-shape.js"

/** The table of addresses for which a provider vouched; it goes with the user. */
export const addProvenEmails: SchemaChange = {
  up: (target) => {
    const { provenEmail } = target.schema
    return provenEmail ? createTable(target, provenEmail, { unique: [provenEmail.key], isOwned: true }) : []
  },
  down: ({ db, schema: { provenEmail } }) => (provenEmail ? [db.schema.dropTable(provenEmail.name).ifExists()] : []),
  shapes: ({ provenEmail }) => (provenEmail ? shapesOf(provenEmail) : []),
}
