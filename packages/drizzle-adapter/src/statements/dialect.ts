import type { Column, SQL } from "drizzle-orm"
import type { FieldColumn } from "../tables/record-table.js"

/** The little that Drizzle's databases differ in. */
export interface Dialect {
  /** Whether a statement that writes can give the rows it wrote. */
  readonly returnsRows: boolean
  /** Whether a column can hold a text whole, and give it back as it is. */
  holds(text: string, column: Column): boolean
  /** Reads a column in a form that depends neither on the driver nor on anybody's time zone. */
  select(column: FieldColumn): Column | SQL
  /** That a column has a text, to the last character, whatever its collation; found by the column's index. */
  matches(column: Column, text: string): SQL
}
