import { andThen, type Key } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import { type AliasedExpression, type CompiledQuery, type RawBuilder, sql } from "kysely"
import { getColumn, type Table } from "../tables/table.js"
import { keyParameters, matchesKey, type Selection, selection } from "./clauses.js"
import type { Row } from "./runner.js"
import type { SqlAccess } from "./table-rows.js"

/** Finds the user who owns a row of another table, in one statement. */
export function ownerLookup<User>(access: SqlAccess, owned: Table): (key: Key) => Awaitable<User | null> {
  const user = selection<User>(access.schema.user, access.dialect, { alias: "owner", offset: 0 })
  const find = joinedLookup(access, owned, user.columns)
  return (key) => andThen(find(key), (row) => (row === undefined ? null : user.read(row)))
}

/** As `ownerLookup`, and returns the owned row, too: the lookup of every request with a stored session. */
export function ownedAndOwnerLookup<Owned, User>(
  access: SqlAccess,
  owned: Table,
): (key: Key) => Awaitable<{ readonly owned: Owned; readonly owner: User } | null> {
  const row: Selection<Owned> = selection(owned, access.dialect, { alias: "owned", offset: 0 })
  const place = { alias: "owner", offset: owned.columns.length }
  const user: Selection<User> = selection(access.schema.user, access.dialect, place)
  const find = joinedLookup(access, owned, [...row.columns, ...user.columns])
  return (key) =>
    andThen(find(key), (found) => (found === undefined ? null : { owned: row.read(found), owner: user.read(found) }))
}

/** The statement is compiled on the first call. */
function joinedLookup(
  access: SqlAccess,
  owned: Table,
  columns: readonly AliasedExpression<unknown, string>[],
): (key: Key) => Awaitable<Row | undefined> {
  const keyColumns = owned.key.map((field) => getColumn(owned, field))
  let compiled: CompiledQuery | undefined
  return (key) => {
    compiled ??= compile(access, owned, columns)
    const parameters = keyParameters(keyColumns, key, access.dialect)
    if (parameters === null) return undefined
    return access.runner.find({ query: compiled.query, queryId: compiled.queryId, sql: compiled.sql, parameters })
  }
}

/** Joins the owned row with its user, directly or through the table that links the two. */
function compile(
  { db, dialect, schema: { user } }: SqlAccess,
  owned: Table,
  columns: readonly AliasedExpression<unknown, string>[],
): CompiledQuery {
  const keyColumns = owned.key.map((field) => getColumn(owned, field))
  const owner = (reference: string) => isSame(`owner.${getColumn(user, "id").name}`, reference)
  const { link, rowId = "id" } = owned
  const rows = db.selectFrom(`${owned.name} as owned`)
  const joined =
    link === undefined
      ? rows.innerJoin(`${user.name} as owner`, (join) => join.on(owner(`owned.${getColumn(owned, "userId").name}`)))
      : rows
          .innerJoin(`${link.name} as link`, (join) => join.on(isSame(`link.${link.owned}`, `owned.${rowId}`)))
          .innerJoin(`${user.name} as owner`, (join) => join.on(owner(`link.${link.owner}`)))
  return joined
    .select(columns)
    .where(matchesKey(keyColumns, dialect, "owned"))
    .compile()
}

function isSame(one: string, other: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(one)} = ${sql.ref(other)}`
}
