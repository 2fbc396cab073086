import type { Compilable } from "kysely"
import type { Column, Table } from "../tables/column.js"
import { ifThere, unlessThere } from "./ask-first.js"
import { columnType } from "./create-table.js"
import type { MigrationTarget } from "./schema-change.js"

/** Adds a column that the table had not when it was first made. */
export function addColumn(target: MigrationTarget, table: Table, column: Column): readonly Compilable[] {
  const add = target.db.schema.alterTable(table.name).addColumn(column.name, columnType(column, target))
  if (target.dialect.repeating === "skip") return [add]
  return unlessThere(target, { kind: "column", table: table.name, name: column.name }, add)
}

export function dropColumn(target: MigrationTarget, table: Table, { name }: Column): readonly Compilable[] {
  const drop = target.db.schema.alterTable(table.name).dropColumn(name)
  return target.dialect.repeating === "skip"
    ? [drop]
    : ifThere(target, { kind: "column", table: table.name, name }, drop)
}
