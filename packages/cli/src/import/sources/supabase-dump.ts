import { DatabaseSync } from "node:sqlite"
import { nodeSqliteDialect } from "@latchkey/kysely-adapter/sqlite"
import { Kysely } from "kysely"
import { UsageError } from "../../config.js"
import { openSourceFile } from "../file-records.js"
import { type Line, readLines } from "../lines.js"
import type { SourceContext, SourceRow } from "../records.js"
import { type SourceDatabase, toFieldColumns, toSourceDatabase } from "../source-tables.js"

const hint =
  "Name the database, or a dump of it: pg_dump --data-only -t auth.users -t auth.identities -t auth.mfa_factors."

/** The columns of each table that are kept. */
const kept: Readonly<Record<string, readonly string[]>> = {
  users: [
    ...["id", "email", "phone", "encrypted_password", "email_confirmed_at", "raw_user_meta_data", "raw_app_meta_data"],
    ...["banned_until", "deleted_at", "is_anonymous", "is_sso_user", "created_at", "role"],
  ],
  identities: ["id", "user_id", "provider", "provider_id"],
  mfa_factors: ["id", "user_id", "friendly_name", "factor_type", "status", "secret", "created_at"],
}

/** A dump that was read. */
export interface LoadedDump {
  readonly database: SourceDatabase
  /** Rows that cannot be read. */
  readonly refused: readonly SourceRow[]
}

/**
 * Reads a dump in the COPY format of `pg_dump` into a database of its own, which SQLite keeps in a file without a name: it is
 * gone when the process ends. The tables of a dump come in any order, so that a user can be read only when all of them are.
 * @throws UsageError if the file is not a dump in this format
 */
export async function loadDump({ argument, folder, options }: SourceContext): Promise<LoadedDump> {
  const file = await openSourceFile(argument, folder, hint)
  if (file.beginning.startsWith("PGDMP")) throw new UsageError(`The dump is an archive. ${hint}`)
  const database = new DatabaseSync("")
  try {
    const refused = await fill(database, file.path, toFieldColumns(options))
    const tables = { user: "users", identity: "identities", factor: "mfa_factors" }
    const db = new Kysely({ dialect: nodeSqliteDialect(database) })
    const source = await toSourceDatabase(
      { db, kind: "sqlite", close: () => db.destroy() },
      { fingerprint: file.fingerprint, source: "Supabase", options: { ...options, tables } },
    )
    return { database: source, refused }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/** Where the rows of a table go. */
interface Copy {
  readonly table: string
  /** @returns whether it is a row of the table */
  insert(row: string | null): boolean
}

async function fill(database: DatabaseSync, path: string, more: readonly string[]): Promise<readonly SourceRow[]> {
  const refused: SourceRow[] = []
  const found = new Set<string>()
  for (const [table, columns] of Object.entries(kept))
    database.exec(`create table "${table}" (${quote([...new Set([...columns, ...more])])})`)
  database.exec("begin")
  let copy: Copy | null = null
  for await (const line of readLines(path)) {
    if (copy === null) {
      copy = beginCopy(database, line.text ?? "")
      if (copy) found.add(copy.table)
    } else if (line.text === "\\.") copy = null
    else if (!copy.insert(line.text)) refused.push(toRefusal(line))
  }
  database.exec("commit; create index user_key on users (id)")
  database.exec("create index identity_user on identities (user_id); create index factor_user on mfa_factors (user_id)")
  for (const table of ["users", "identities"])
    if (!found.has(table)) throw new UsageError(`The dump has no rows of auth.${table}. ${hint}`)
  return refused
}

function toRefusal({ number, problem = "The row has other fields than its table" }: Line): SourceRow {
  return { kind: "refused", cursor: "", line: number, reason: problem }
}

/** Null for any other line. */
function beginCopy(database: DatabaseSync, text: string): Copy | null {
  if (/^INSERT INTO "?auth"?\./i.test(text)) throw new UsageError(`The dump has INSERT statements. ${hint}`)
  const [, table = "", list = ""] = /^COPY "?auth"?\."?(\w+)"? \((.*)\) FROM stdin;$/i.exec(text) ?? []
  return Object.hasOwn(kept, table) ? openCopy(database, table, list) : null
}

function openCopy(database: DatabaseSync, table: string, list: string): Copy {
  const columns = list.split(",").map((column) => column.trim().replace(/^"(.*)"$/, "$1"))
  const existing = database.prepare(`select name from pragma_table_info(?)`).all(table)
  const names = new Set(existing.map(({ name }) => String(name)))
  const taken = columns.flatMap((column, n) => (names.has(column) ? [{ column, n }] : []))
  const places = taken.map(() => "?").join(", ")
  const insert = database.prepare(
    `insert into "${table}" (${quote(taken.map(({ column }) => column))}) values (${places})`,
  )
  return {
    table,
    insert(row) {
      const values = row?.split("\t").map(decode)
      if (values?.length !== columns.length) return false
      insert.run(...taken.map(({ n }) => values[n] ?? null))
      return true
    },
  }
}

function quote(names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ")
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

/** @see https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
function decode(field: string): string | null {
  if (field === "\\N") return null
  return field.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
}
