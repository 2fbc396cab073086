import { DatabaseSync } from "node:sqlite"
import type { FileRecord } from "./file-records.js"
import { createTidying } from "./memory.js"
import type { MadeUser, SourceContent, SourceRow, SourceSurvey } from "./records.js"

/** Makes users of the records of a file. The id of a refused one is what the record has, if it can be read. */
export async function* toRows(
  records: AsyncIterable<FileRecord>,
  toId: (record: Readonly<Record<string, unknown>>) => string | null,
  make: (record: Readonly<Record<string, unknown>>, id: string) => MadeUser,
): AsyncGenerator<SourceRow> {
  for await (const { line, cursor, record, problem = "The record cannot be read" } of records) {
    const place = { line, cursor }
    if (record === null) yield { ...place, kind: "refused", reason: problem }
    else yield { ...place, ...toContent(record, toId(record), make) }
  }
}

function toContent(
  record: Readonly<Record<string, unknown>>,
  id: string | null,
  make: (record: Readonly<Record<string, unknown>>, id: string) => MadeUser,
): SourceContent {
  if (id === null || id === "") return { kind: "refused", reason: "The record has no ID" }
  const made = make(record, id)
  return typeof made === "string" ? { kind: "refused", id, reason: made } : { kind: "user", user: made }
}

/** Counts what a source has, where its file has to be read for it. */
export async function surveyRows(rows: AsyncIterable<SourceRow>): Promise<SourceSurvey> {
  const providers = new Map<string, number>()
  const counts = { users: 0, passwords: 0, totp: 0, recoveryCodes: 0, passkeys: 0 }
  const tidy = createTidying()
  for await (const row of rows) {
    if (row.kind !== "user") continue
    if (counts.users % 1024 === 0) tidy()
    const { accounts = [], password, totp, recoveryCodes, passkeys } = row.user
    counts.users += 1
    for (const { provider } of accounts) providers.set(provider, (providers.get(provider) ?? 0) + 1)
    counts.passwords += Number(Boolean(password))
    counts.totp += Number(Boolean(totp?.length))
    counts.recoveryCodes += Number(Boolean(recoveryCodes?.length))
    counts.passkeys += Number(Boolean(passkeys?.length))
  }
  return { ...counts, providers }
}

/** What a second file says about users, by their ids. */
export interface RecordIndex {
  /** How many of its records cannot be read. */
  readonly unread: number
  get(id: string): Readonly<Record<string, string | null>> | null
  close(): void
}

/** What is kept of a record: an id, and texts. Null for one that says nothing. */
export type IndexEntry = { readonly id: string; readonly texts: Readonly<Record<string, string | null>> } | null

/**
 * Keeps a second file by the ids of its records, in a database that SQLite keeps in a file without a name: it is gone when the
 * process ends.
 */
export async function indexRecords(
  records: AsyncIterable<FileRecord>,
  toEntry: (record: Readonly<Record<string, unknown>>) => IndexEntry,
): Promise<RecordIndex> {
  const database = new DatabaseSync("")
  let unread = 0
  try {
    database.exec("create table entries (id text primary key, texts text not null) without rowid; begin")
    const insert = database.prepare("insert or replace into entries (id, texts) values (?, ?)")
    for await (const { record } of records) {
      if (record === null) unread += 1
      const entry = record && toEntry(record)
      if (entry) insert.run(entry.id, JSON.stringify(entry.texts))
    }
    database.exec("commit")
  } catch (error) {
    database.close()
    throw error
  }
  const find = database.prepare("select texts from entries where id = ?")
  return {
    unread,
    get(id) {
      const row = find.get(id)
      return row ? JSON.parse(String(row["texts"])) : null
    },
    close: () => database.close(),
  }
}

/** What is said of a second file with broken records. */
export function toUnreadRemarks(index: RecordIndex | null): readonly string[] {
  if (!index?.unread) return []
  return [`${index.unread} records of the file import.passwords cannot be read: the passwords in them stay behind.`]
}
