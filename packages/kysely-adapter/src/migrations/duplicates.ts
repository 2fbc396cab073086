import { isUniqueViolation } from "@latchkey/adapter-kit"
import { type CompiledQuery, sql } from "kysely"
import { getColumn, type Table } from "../tables/table.js"
import { firstTables } from "./schema-changes.js"
import type { MigrationTarget } from "./schema-statements.js"

/** A table contains rows twice that must be unique, which another library has allowed. The cause is the database's own error. */
class DuplicateRows extends Error {
  override readonly name = "DuplicateRows"
}

/** How many of the rows a message names in each table. */
const maxNamed = 5

/** Duplicates in a table: a query for the ids of their users, and the sentence about them. */
interface Search {
  readonly table: string
  readonly query: CompiledQuery
  toSentence(users: readonly string[]): string
}

/**
 * The searches to make after a migration has failed. None if it failed for another reason than a row that is there twice. They
 * name users by their id: the values themselves are addresses and tokens.
 */
export function findDuplicates(error: unknown, target: MigrationTarget): readonly Search[] {
  if (!isUniqueViolation(error)) return []
  return firstTables(target.schema).flatMap(([table, { unique }]) =>
    unique.map((fields) => ({
      table: table.name,
      query: selectDuplicates(target, table, fields),
      toSentence: (users: readonly string[]) => toSentence(table, fields, users),
    })),
  )
}

/** The migration's own error if no rows were found. */
export function toDuplicateRows(error: unknown, sentences: readonly string[]): unknown {
  if (sentences.length === 0) return error
  const reason = error instanceof Error ? error.message : "A row is there twice"
  return new DuplicateRows(`${reason}. Remove the duplicates, then migrate again. ${sentences.join(". ")}`, {
    cause: error,
  })
}

function selectDuplicates({ db, dialect }: MigrationTarget, table: Table, fields: readonly string[]): CompiledQuery {
  const columns = fields.map((field) => sql.ref(getColumn(table, field).name))
  const owner = findOwner(table)
  const id = sql`cast(${owner === undefined ? sql`''` : sql.ref(owner)} as ${sql.raw(textTypes[dialect.kind])})`
  const isSet = sql.join(
    columns.map((column) => sql`${column} is not null`),
    sql` and `,
  )
  const [first, last] = [sql`min(${id})`, sql`max(${id})`]
  const pair = dialect.kind === "mysql" ? sql`concat(${first}, ' and ', ${last})` : sql`${first} || ' and ' || ${last}`
  return sql`select ${pair} as name from ${sql.table(table.name)} where ${isSet}
    group by ${sql.join(columns)} having count(*) > 1 limit ${sql.lit(maxNamed)}`.compile(db)
}

const textTypes = { sqlite: "text", postgres: "text", mysql: "char" } as const

/** The column with the id of the user. Verification tokens have none. */
function findOwner(table: Table): string | undefined {
  return table.columns.find(({ field }) => field === "userId" || (field === "id" && table.key.includes("id")))?.name
}

function toSentence(table: Table, fields: readonly string[], users: readonly string[]): string {
  const columns = fields.map((field) => getColumn(table, field).name).join(", ")
  const ids = users.some((user) => user !== " and ") ? ` Their users: ${users.join("; ")}` : ""
  return `${table.name} has several rows with the same ${columns}.${ids}`
}
