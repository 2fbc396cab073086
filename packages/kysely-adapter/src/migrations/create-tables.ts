import type { Compilable } from "kysely"
import type { Table } from "../tables/column.js"
import type { Schema } from "../tables/schema.js"
import { createLink, createTable, type Rules } from "./create-table.js"
import type { MigrationTarget, SchemaChange } from "./schema-change.js"
import { shapesOf } from "./table-shape.js"

function rules(schema: Schema): readonly (readonly [Table, Rules])[] {
  return [
    [schema.user, { unique: [["email"]], isOwned: false }],
    [schema.account, { unique: [schema.account.key], isOwned: true }],
    [schema.session, { unique: [schema.session.key], isOwned: true }],
    [schema.verificationToken, { unique: [schema.verificationToken.key], isOwned: false }],
    [schema.authenticator, { unique: [schema.authenticator.key], isOwned: true }],
  ]
}

/**
 * The five tables (and in the linked layout the two that join them), and the constraints on which uniqueness and single
 * use rest. Tables that exist (from another library, say) are kept as they are and get the unique indexes they lack;
 * that fails when they hold duplicates.
 */
export const createTables: SchemaChange = {
  up: (target) =>
    rules(target.schema).flatMap(([table, own]) => [...createTable(target, table, own), ...createLink(target, table)]),
  down: (target) =>
    rules(target.schema)
      .flatMap(([table]) => [table.name, ...(table.link ? [table.link.name] : [])])
      .toReversed()
      .map((name) => dropTable(target, name)),
  shapes: (schema) => rules(schema).flatMap(([table]) => shapesOf(table)),
}

function dropTable({ db }: MigrationTarget, name: string): Compilable {
  return db.schema.dropTable(name).ifExists()
}
