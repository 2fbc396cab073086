import type { Awaitable } from "@latchkey/core/adapters"
import { type AliasedExpression, type RawBuilder, sql } from "kysely"
import { andThen } from "../and-then.js"
import { getColumn, type Table } from "../tables/column.js"
import { toParameter } from "./column-value.js"
import type { CompiledStatement } from "./kysely-runner.js"
import { type Selection, selection } from "./selection.js"
import type { SqlAccess } from "./sql-access.js"
import { type Key, placeholder } from "./table-statements.js"

/** Finds the user who owns a row of another table, in one statement, which is compiled when it is first needed. */
export function ownerLookup<User>(access: SqlAccess, owned: Table): (key: Key) => Awaitable<User | null> {
  const user = selection<User>(access.schema.user, access.dialect, { alias: "owner", offset: 0 })
  const toStatement = joined(access, owned, user.columns)
  return (key) => andThen(access.runner.find(toStatement(key)), (row) => (row === undefined ? null : user.read(row)))
}

/** As `ownerLookup`, and gives the owned row too. This is what every request with a stored session asks for. */
export function ownedAndOwnerLookup<Owned, User>(
  access: SqlAccess,
  owned: Table,
): (key: Key) => Awaitable<{ readonly owned: Owned; readonly owner: User } | null> {
  const row: Selection<Owned> = selection(owned, access.dialect, { alias: "owned", offset: 0 })
  const place = { alias: "owner", offset: owned.columns.length }
  const user: Selection<User> = selection(access.schema.user, access.dialect, place)
  const toStatement = joined(access, owned, [...row.columns, ...user.columns])
  return (key) =>
    andThen(access.runner.find(toStatement(key)), (found) =>
      found === undefined ? null : { owned: row.read(found), owner: user.read(found) },
    )
}

function joined(
  access: SqlAccess,
  owned: Table,
  columns: readonly AliasedExpression<unknown, string>[],
): (key: Key) => CompiledStatement {
  const keyColumns = owned.key.map((field) => getColumn(owned, field))
  let compiled: CompiledStatement | undefined
  return (key) => {
    compiled ??= { ...compile(access, owned, columns), parameters: [] }
    const parameters = keyColumns.map((column) => toParameter(key[column.field], column, access.dialect))
    return { query: compiled.query, queryId: compiled.queryId, sql: compiled.sql, parameters }
  }
}

function compile(access: SqlAccess, owned: Table, columns: readonly AliasedExpression<unknown, string>[]) {
  const { user } = access.schema
  const ownerId = sql.ref(`owned.${getColumn(owned, "userId").name}`)
  const userId = sql.ref(`owner.${getColumn(user, "id").name}`)
  return access.db
    .selectFrom(`${owned.name} as owned`)
    .innerJoin(`${user.name} as owner`, (join) => join.on(sql<boolean>`${userId} = ${ownerId}`))
    .select(columns)
    .where(matchesKey(owned))
    .compile()
}

function matchesKey(owned: Table): RawBuilder<boolean> {
  const equalities = owned.key.map((field) => sql`${sql.ref(`owned.${getColumn(owned, field).name}`)} = ${placeholder}`)
  return sql<boolean>`${sql.join(equalities, sql` and `)}`
}
