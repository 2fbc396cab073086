import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { onTestFinished } from "vitest"
import type { ImportOptions, OpenSource, SourceRow, SourceSurvey, SourceUser } from "../../src/import/records.js"

/** Rows of a library's tables, made by the library. */
export interface TableFixture {
  /** Statements that create the tables. */
  readonly schema: readonly string[]
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, SQLInputValue>>[]>>
}

export function readFixture<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, "fixtures", name), "utf8"))
}

/** A folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-import-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A database of the fixture's tables. */
export function fillSqlite(path: string, { schema, tables }: TableFixture): void {
  const database = new DatabaseSync(path)
  database.exec("begin")
  for (const statement of schema) database.exec(statement)
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const columns = Object.keys(row).map((column) => `"${column}"`)
      const places = columns.map(() => "?")
      database.prepare(`insert into "${table}" (${columns}) values (${places})`).run(...Object.values(row))
    }
  }
  database.exec("commit")
  database.close()
}

/** Where a source of a test is. */
export interface SourcePlace {
  readonly argument: string | undefined
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly options?: ImportOptions
}

/** A source that was read to its end. */
export interface ReadSource {
  readonly survey: SourceSurvey
  readonly rows: readonly SourceRow[]
  readonly users: readonly SourceUser[]
  readonly refused: readonly { readonly id?: string; readonly line?: number; readonly reason: string }[]
}

/** A SQLite file with the tables of a fixture, changed by statements. */
export function prepareSqlite(fixture: TableFixture, ...statements: readonly string[]): SourcePlace {
  const folder = makeFolder()
  const file = join(folder, "theirs.db")
  fillSqlite(file, fixture)
  const database = new DatabaseSync(file)
  database.exec(statements.join(";"))
  database.close()
  return { argument: "sqlite:theirs.db", folder }
}

/** What a stream has, in a list. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Opens a source, and reads it as the command does. */
export async function readSource(open: OpenSource, place: SourcePlace, after?: string): Promise<ReadSource> {
  const { argument, folder = tmpdir(), environment = {}, options = {} } = place
  const source = await open({ argument, folder, environment, options })
  try {
    const survey = await source.survey()
    const rows = await collect(source.read(after))
    const users = rows.flatMap((row) => (row.kind === "user" ? [row.user] : []))
    const refused = rows.flatMap((row) => (row.kind === "refused" ? [row] : []))
    return {
      survey,
      rows,
      users,
      refused: refused.map(({ id, line, reason }) => ({
        ...(id !== undefined && { id }),
        ...(line !== undefined && { line }),
        reason,
      })),
    }
  } finally {
    await source.close()
  }
}
