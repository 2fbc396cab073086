import type { Column, SQL, Table } from "drizzle-orm"

/** What one row of a result has, by the names under which it was selected. */
export type Row = Readonly<Record<string, unknown>>

/** What is selected, by name. */
export type Selected = Readonly<Record<string, Column | SQL>>

type Values = Readonly<Record<string, unknown>>

/**
 * What is used of Drizzle's query builders. They are the same in each of its databases but for what a database cannot
 * do; their own types want tables that are known when a program is compiled.
 */
export interface QueryBuilders {
  select(fields: Selected): { from(table: Table): Selecting }
  insert(table: Table): Inserting
  update(table: Table): { set(values: Values): { where(condition: SQL): Writing } }
  delete(table: Table): { where(condition: SQL): Writing }
}

interface Selecting extends PromiseLike<Row[]> {
  innerJoin(table: Table, condition: SQL): Selecting
  where(condition: SQL): Selecting
  /** False: a cache of the host is not asked; an ended session would live on in it. */
  $withCache(isCached: false): Selecting
}

interface Inserting {
  values(values: Values): Writing & { onConflictDoNothing(): Writing }
  /** In MySQL alone. */
  ignore(): Inserting
}

/** Where a database cannot return what it wrote, the driver's own result says what it did. */
interface Writing extends PromiseLike<unknown> {
  /** In PostgreSQL and SQLite alone. */
  returning(fields: Selected): PromiseLike<Row[]>
}
