import type { Compilable, Expression, InsertQueryBuilder } from "kysely"
import type { ColumnKind } from "../tables/column.js"
import type { AnyTables } from "./any-kysely.js"

/** The databases whose statements the adapter knows. `mysql` is MariaDB as well. */
export type DatabaseKind = "sqlite" | "postgres" | "mysql"

/** An insertion into a table that is known only at run time. */
export type AnyInsert = InsertQueryBuilder<AnyTables, string, unknown>

/** A key of text or of another kind, as a statement compares it. */
export interface ExactMatch {
  /** How many parameters the comparison takes; all are the value that is looked for. */
  readonly parameters: 1 | 2
  compare(column: Expression<unknown>, value: string): Expression<boolean>
}

/** The little that databases differ in. */
export interface SqlDialect {
  readonly kind: DatabaseKind
  /** How a column is declared, by what it holds. */
  readonly columnTypes: Readonly<Record<ColumnKind, string>>
  /** How the column of an id is declared that the database makes, with what follows the type. */
  readonly madeIdTypes: Readonly<Record<"integerKey" | "uuidKey", string>>
  /** Whether a statement that writes can give the rows it wrote. */
  readonly returnsRows: boolean
  /**
   * How changes of the schema can be repeated. `skip`: indexes are made by statements of their own, which can be told
   * to skip those that exist. `ask`: the database is asked first, since it knows no such statement.
   */
  readonly repeating: "skip" | "ask"
  /** Whether text may hold the character U+0000. */
  readonly storesNul: boolean
  /** Whether a key fits into its column whole. */
  holdsKey(text: string, kind: "key" | "longKey"): boolean
  /** The parameter that stands for an instant. */
  toDateParameter(date: Date): string
  toBooleanParameter(value: boolean): boolean | number
  /** Reads a column in a form that depends neither on the driver nor on anybody's time zone. */
  select(column: Expression<unknown>, kind: ColumnKind): Expression<unknown>
  /** Compares text to the last character, whatever the collation of the column, and by the column's index. */
  readonly textMatch: ExactMatch
  /** Makes an insertion do nothing where a unique column has the value already. */
  ignoreTaken(insert: AnyInsert): Compilable
  /** Whether the instant in a column lies before a date parameter. */
  isBefore(column: Expression<unknown>, date: string): Expression<boolean>
}
