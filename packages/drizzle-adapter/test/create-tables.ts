import { type Column, getTableColumns, getTableName, type Table } from "drizzle-orm"

/** What the three kinds of tables have in common of what Drizzle tells about one. */
export interface TableConfig {
  readonly columns: readonly Column[]
  readonly primaryKeys: readonly { readonly columns: readonly Column[] }[]
  readonly foreignKeys: readonly {
    readonly onDelete: string | undefined
    reference(): {
      readonly columns: readonly Column[]
      readonly foreignTable: Table
      readonly foreignColumns: readonly Column[]
    }
  }[]
}

/** The statements that make tables as they are defined, as Drizzle's own kit would write them. */
export function createStatements(
  tables: readonly Table[],
  configOf: (table: never) => TableConfig,
  quote: '"' | "`" = '"',
): readonly string[] {
  const name = (text: string) => `${quote}${text}${quote}`
  const names = (columns: readonly Column[]) => columns.map((column) => name(column.name)).join(", ")
  return tables.map((table) => {
    const { columns, primaryKeys, foreignKeys } = configOf(table as never) // as: of the kind that is asked
    const parts = [
      ...columns.map((column) => `${name(column.name)} ${declare(column)}`),
      ...primaryKeys.map((key) => `primary key (${names(key.columns)})`),
      ...foreignKeys.map((key) => {
        const { columns: own, foreignTable, foreignColumns } = key.reference()
        const target = `${name(getTableName(foreignTable))} (${names(foreignColumns)})`
        return `foreign key (${names(own)}) references ${target} on delete ${key.onDelete ?? "no action"}`
      }),
    ]
    return `create table ${name(getTableName(table))} (${parts.join(", ")})`
  })
}

function declare(column: Column): string {
  const parts = [
    column.getSQLType(),
    column.generatedIdentity === undefined ? "" : "generated always as identity",
    column.hasDefault && column.getSQLType() === "uuid" ? "default gen_random_uuid()" : "",
    "autoIncrement" in column && column.autoIncrement === true ? "auto_increment" : "",
    column.primary ? "primary key" : "",
    column.notNull ? "not null" : "",
    column.isUnique ? "unique" : "",
  ]
  return parts.filter((part) => part !== "").join(" ")
}

/** The tables that a module exports, each after those that it refers to. */
export function tablesOf(module: Readonly<Record<string, Table>>): readonly Table[] {
  return Object.values(module).toSorted((one, other) => Number(hasOwner(one)) - Number(hasOwner(other)))
}

function hasOwner(table: Table): boolean {
  return Object.hasOwn(getTableColumns(table), "userId")
}
