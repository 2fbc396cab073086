import { eq } from "drizzle-orm"
import { getColumn } from "../tables/record-table.js"
import type { Row, Selected } from "./query-builders.js"
import type { RowAccess } from "./row-access.js"
import type { Key, TableStatements } from "./table-statements.js"

/** An owned row together with its user. */
export interface OwnedAndOwner<Owned, Owner> {
  readonly owned: Owned
  readonly owner: Owner
}

const ownedPrefix = "owned."

/** Finds a row together with the user who owns it, in one statement. */
export function ownedAndOwnerLookup<Owned, Owner>(
  { db, run }: RowAccess,
  owned: TableStatements<Owned>,
  owner: TableStatements<Owner>,
): (key: Key) => Promise<OwnedAndOwner<Owned, Owner> | null> {
  const selected: Selected = { ...owner.selected, ...prefixed(owned.selected) }
  const isOwner = eq(getColumn(owner.record, "id").column, getColumn(owned.record, "userId").column)
  return async (key) => {
    const condition = owned.matching(key)
    if (condition === null) return null
    const [row] = await run(() =>
      db
        .select(selected)
        .from(owned.record.table)
        .innerJoin(owner.record.table, isOwner)
        .where(condition)
        .$withCache(false),
    )
    return row === undefined ? null : { owned: owned.read(unprefixed(row)), owner: owner.read(row) }
  }
}

function prefixed(selected: Selected): Selected {
  return Object.fromEntries(Object.entries(selected).map(([field, column]) => [`${ownedPrefix}${field}`, column]))
}

function unprefixed(row: Row): Row {
  const own = Object.entries(row).filter(([name]) => name.startsWith(ownedPrefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(ownedPrefix.length), value]))
}
