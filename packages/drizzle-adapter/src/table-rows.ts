import { type Key, type RecordStore, type RowWalk, removeInBatches } from "@latchkey/adapter-kit"
import { and, gte, lt, type SQL, sql } from "drizzle-orm"
import type { RunStatement } from "./database-failure.js"
import type { QueryBuilders, Row, Selected, TableStatements } from "./table-statements.js"

/** What it takes to read and write rows. */
export interface RowAccess {
  readonly db: QueryBuilders
  readonly run: RunStatement
  /** Whether statements that write return the rows they wrote. */
  readonly returnsRows: boolean
}

/** The rows of one table as records. Every method returns a promise. */
export function tableRows<T>(access: RowAccess, statements: TableStatements<T>): RecordStore<T> {
  const { fields } = statements.record
  const select = async (key: Key, isLocked: boolean) =>
    (await selectRows(access, { statements, isLocked }, key)).map((row) => statements.read(row))
  const list = (key: Key) => select(key, false)
  const find = async (key: Key) => (await list(key))[0] ?? null
  const writes = access.returnsRows ? returningWrites(access, statements) : countingWrites(access, statements, find)
  const write = async (key: Key, values: Row) => {
    const condition = statements.matching(key)
    return condition === null ? null : await writes.update({ key, condition }, values)
  }
  return {
    hasField: (field) => fields.has(field),
    find,
    list,
    async insert(record) {
      const inserted = await writes.insert(fields.toValues(record))
      if (inserted === null) throw new Error("The row disappeared right after it was inserted")
      return inserted
    },
    insertOnce: async (record) => await writes.insertOnce(fields.toValues(record)),
    async update(key, changes) {
      const values = fields.toValues(changes)
      return Object.keys(values).length === 0 ? await find(key) : await write(key, values)
    },
    async updateIf(key, changes, lifetime) {
      const values = fields.toValues(changes)
      const condition = lifetime ? statements.matchingWithin(key, lifetime) : statements.matching(key)
      if (condition === null) return null
      return Object.keys(values).length === 0 ? await find(key) : await writes.updateIf({ key, condition }, values)
    },
    raise: async (key, field, value) => await write(key, { [field]: statements.larger(field, value) }),
    async remove(key) {
      const condition = statements.matching(key)
      return condition === null ? null : await writes.remove({ key, condition })
    },
    removeAll: async (field, values) =>
      values.length === 0 ? 0 : await writes.removeAll(statements.hasOneOf(field, values)),
    lock: (key) => select(key, true),
    async removeBefore(field, instant) {
      const isBefore = statements.isBefore(field, instant)
      return await removeInBatches(walkRows(access, statements, writes, isBefore), statements.removalBatches)
    },
  }
}

/** SQLite's setting `foreign_keys`: 0 or 1. */
export async function readForeignKeys({ db, run }: RowAccess): Promise<unknown> {
  const [row] = await run(() => db.select({ isOn: sql`foreign_keys` }).from(sql`pragma_foreign_keys`))
  return row?.["isOn"]
}

/** The rows in the order of the key's first column, which has an index. */
function walkRows<T>(
  { db, run }: RowAccess,
  { position, record }: TableStatements<T>,
  { removeAll }: RowWrites<T>,
  isExpired: SQL,
): RowWalk<unknown> {
  const isFrom = (key: unknown) => (key === null ? undefined : gte(position, key))
  return {
    async findNext(from, rows) {
      const next = () =>
        db
          .select({ position })
          .from(record.table)
          .where(isFrom(from))
          .orderBy(position)
          .limit(1)
          .offset(rows)
          .$withCache(false)
      return (await run(next))[0]?.["position"] ?? null
    },
    removeBetween: (from, to) =>
      removeAll(and(isExpired, isFrom(from), to === null ? undefined : lt(position, to)) ?? isExpired),
  }
}

interface RowSelection<T> {
  readonly statements: TableStatements<T>
  /** Whether the rows are locked until the transaction ends. */
  readonly isLocked: boolean
}

async function selectRows<T>(
  { db, run }: RowAccess,
  { statements, isLocked }: RowSelection<T>,
  key: Key,
): Promise<Row[]> {
  const { record, selected } = statements
  const condition = statements.matching(key)
  if (condition === null) return []
  return await run(() => {
    const query = db.select(selected).from(record.table).where(condition).$withCache(false)
    return isLocked ? query.for("update") : query
  })
}

/** A row: its key and the condition that matches it. */
interface Place {
  readonly key: Key
  readonly condition: SQL
}

interface RowWrites<T> {
  insert(values: Row): Promise<T | null>
  insertOnce(values: Row): Promise<boolean>
  update(place: Place, values: Row): Promise<T | null>
  /** The row, for the callers whose statement matched it. */
  updateIf(place: Place, values: Row): Promise<T | null>
  /** The row, for the one caller whose statement deleted it. */
  remove(place: Place): Promise<T | null>
  removeAll(condition: SQL): Promise<number>
}

/** For databases that return the rows they wrote. */
function returningWrites<T>({ db, run }: RowAccess, statements: TableStatements<T>): RowWrites<T> {
  const { record, selected } = statements
  const { table, fields } = record
  const keyColumns: Selected = Object.fromEntries(fields.key.map((field) => [field, statements.column(field)]))
  const read = ([row]: readonly Row[]) => (row === undefined ? null : statements.read(row))
  const update: RowWrites<T>["update"] = async ({ condition }, values) =>
    read(await run(() => db.update(table).set(values).where(condition).returning(selected)))
  return {
    insert: async (values) => read(await run(() => db.insert(table).values(values).returning(selected))),
    insertOnce: async (values) =>
      (await run(() => db.insert(table).values(values).onConflictDoNothing().returning(keyColumns))).length > 0,
    update,
    updateIf: update,
    remove: async ({ condition }) => read(await run(() => db.delete(table).where(condition).returning(selected))),
    removeAll: async (condition) => (await run(() => db.delete(table).where(condition).returning(keyColumns))).length,
  }
}

/** For MySQL: a second statement reads the row. Only the count tells which caller deleted a row. */
function countingWrites<T>(
  { db, run }: RowAccess,
  { record }: TableStatements<T>,
  find: (key: Key) => Promise<T | null>,
): RowWrites<T> {
  const { table, fields } = record
  const removeAll = async (condition: SQL) => affectedRows(await run(() => db.delete(table).where(condition)))
  return {
    async insert(values) {
      const result = await run(() => db.insert(table).values(values))
      const generated = fields.key.find((field) => values[field] === undefined)
      if (generated !== undefined) return await find({ [generated]: insertedId(result) })
      // The table may store ids as numbers; rows are looked up by text.
      return await find(Object.fromEntries(fields.key.map((field) => [field, String(values[field])])))
    },
    insertOnce: async (values) => affectedRows(await run(() => db.insert(table).ignore().values(values))) > 0,
    async update({ key, condition }, values) {
      await run(() => db.update(table).set(values).where(condition))
      return await find(key)
    },
    async updateIf({ key, condition }, values) {
      const count = affectedRows(await run(() => db.update(table).set(values).where(condition)))
      if (count > 0) return await find(Object.fromEntries(fields.key.map((field) => [field, key[field]])))
      // Some servers do not count a row that has the values already.
      const found = await find(key)
      return found && hasValues(fields, found, values) ? found : null
    },
    async remove({ key, condition }) {
      const found = await find(key)
      return (await removeAll(condition)) > 0 ? found : null
    },
    removeAll,
  }
}

function hasValues(fields: TableStatements<unknown>["record"]["fields"], record: object, values: Row): boolean {
  const stored = fields.toValues(record)
  return Object.entries(values).every(([field, value]) => {
    const other = stored[field]
    return other === value || (value instanceof Date && other instanceof Date && other.valueOf() === value.valueOf())
  })
}

/** @throws Error when the driver does not report the count: no caller could be told that it deleted the row */
function affectedRows(result: unknown): number {
  const { affectedRows: affected, rowsAffected } = resultHeader(result)
  const count = affected ?? rowsAffected
  if (typeof count !== "number") throw new Error("The driver does not report how many rows a statement wrote")
  return count
}

function insertedId(result: unknown): string {
  const { insertId } = resultHeader(result)
  if (insertId === undefined || insertId === null) throw new Error("The driver does not report the inserted id")
  return String(insertId)
}

/** The first of two results with `mysql2`, the only one with other drivers. */
function resultHeader(result: unknown): Partial<Record<string, unknown>> {
  const header: unknown = Array.isArray(result) ? result[0] : result
  return typeof header === "object" && header !== null ? header : {}
}

/** A row together with the user who owns it. */
export interface OwnedAndOwner<Owned, Owner> {
  readonly owned: Owned
  readonly owner: Owner
}

const ownedPrefix = "owned."

/** Finds a row together with its user, in one statement. */
export function ownerLookup<Owned, Owner>(
  { db, run }: RowAccess,
  owned: TableStatements<Owned>,
  owner: TableStatements<Owner>,
): (key: Key) => Promise<OwnedAndOwner<Owned, Owner> | null> {
  const prefixed = Object.entries(owned.selected).map(([field, column]) => [`${ownedPrefix}${field}`, column])
  const selected: Selected = { ...owner.selected, ...Object.fromEntries(prefixed) }
  const isOwner = owner.owns(owned)
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

function unprefixed(row: Row): Row {
  const own = Object.entries(row).filter(([name]) => name.startsWith(ownedPrefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(ownedPrefix.length), value]))
}
