import { type Expression, sql } from "kysely"
import type { ColumnKind } from "../tables/column.js"
import type { SqlDialect } from "./dialect.js"

/**
 * Text that is compared to the last character, trailing spaces included. MySQL and MariaDB have different names for the
 * collation; each reads the comment that is meant for it.
 * @see https://mariadb.com/kb/en/comment-syntax/#executable-comment-syntax
 */
const exact = "character set utf8mb4 /*!80017 collate utf8mb4_0900_bin */ /*M!100200 collate utf8mb4_nopad_bin */"

/** Characters of a `key`; two of them fit into one index (3072 bytes). */
const keyLimit = 255

/** Bytes of a `longKey`; with a `key` beside it, it fits into one index. */
const longKeyLimit = 2000

/**
 * `datetime` knows no zone and drivers read it in theirs, so dates travel as text in both directions, in UTC. A
 * `longKey` is bytes: as text with four bytes for each character it would fit into no index.
 */
export const mysqlDialect: SqlDialect = {
  kind: "mysql",
  columnTypes: {
    key: `varchar(${keyLimit}) ${exact}`,
    longKey: `varbinary(${longKeyLimit})`,
    integerKey: "bigint",
    uuidKey: "char(36) character set ascii collate ascii_bin",
    text: `mediumtext ${exact}`,
    number: "bigint",
    boolean: "boolean",
    date: "datetime(3)",
  },
  madeIdTypes: {
    integerKey: "bigint primary key auto_increment",
    uuidKey: "char(36) character set ascii collate ascii_bin primary key",
  },
  returnsRows: false,
  repeating: "ask",
  storesNul: true,
  holdsKey: (text, kind) =>
    kind === "key"
      ? text.length <= keyLimit || [...text].length <= keyLimit
      : new TextEncoder().encode(text).length <= longKeyLimit,
  toDateParameter: (date) => date.toISOString().slice(0, 23).replace("T", " "),
  toBooleanParameter: (value) => value,
  select: selectAsText,
  // The first comparison finds the row by its index; the second sees what the default collations do not.
  textMatch: {
    parameters: 2,
    compare: (column, value) => sql<boolean>`${column} = ${value} and ${toBytes(column)} = ${toBytes(sql`${value}`)}`,
  },
  ignoreTaken: (insert) => insert.ignore(),
  isBefore: (column, date) => sql<boolean>`${column} < ${date}`,
}

function selectAsText(column: Expression<unknown>, kind: ColumnKind): Expression<unknown> {
  if (kind === "date") return sql`date_format(${column}, '%Y-%m-%d %H:%i:%s.%f')`
  return kind === "longKey" ? sql`convert(${column} using utf8mb4)` : column
}

function toBytes(text: Expression<unknown>): Expression<unknown> {
  return sql`cast(convert(${text} using utf8mb4) as binary)`
}
