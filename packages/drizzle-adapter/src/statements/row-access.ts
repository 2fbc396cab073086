import type { RunStatement } from "../failure/run-statement.js"
import type { QueryBuilders } from "./query-builders.js"

/** What it takes to read and write rows. */
export interface RowAccess {
  readonly db: QueryBuilders
  readonly run: RunStatement
  /** Whether statements that write return the rows they wrote. */
  readonly returnsRows: boolean
}
