import { sql } from "kysely"
import type { SqlDialect } from "./dialect.js"

/** A random UUID (RFC 9562, version 4), made by SQLite. */
const uuid = [
  "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)",
  "'-' || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2)",
  "'-' || hex(randomblob(6)))",
].join(" || ")

/**
 * Dates are ISO 8601 text in UTC (`2025-01-02T03:04:05.678Z`): readable, exact to the millisecond, and sorted as text
 * they are sorted in time. Milliseconds that another library left in such a column are read, but never taken for
 * expired, because they do not sort among the text.
 */
export const sqliteDialect: SqlDialect = {
  kind: "sqlite",
  columnTypes: {
    key: "text",
    longKey: "text",
    integerKey: "integer",
    uuidKey: "text",
    text: "text",
    number: "integer",
    boolean: "integer",
    date: "text",
  },
  // `autoincrement`: the id of a deleted user is never given to another.
  madeIdTypes: { integerKey: "integer primary key autoincrement", uuidKey: `text primary key default (${uuid})` },
  returnsRows: true,
  repeating: "skip",
  storesNul: true,
  holdsKey: () => true,
  toDateParameter: (date) => date.toISOString(),
  toBooleanParameter: (value) => (value ? 1 : 0),
  select: (column) => column,
  // The collation of the right side counts; the indexes that migrations make have it too.
  textMatch: { parameters: 1, compare: (column, value) => sql<boolean>`${column} = ${value} collate binary` },
  ignoreTaken: (insert) => insert.onConflict((conflict) => conflict.doNothing()),
  isBefore: (column, date) => sql<boolean>`(${column} glob '????-*' and ${column} < ${date})`,
}
