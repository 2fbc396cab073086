import { UsageError } from "../config.js"
import type { FileRecord } from "./file-records.js"
import { type Line, readLines } from "./lines.js"

/** The longest record that is read, in characters: text in quotes may contain line ends. */
const maxLength = 1_048_576

/**
 * Reads the records of a CSV file of any size (RFC 4180) by the names of its first line. A line that is broken is passed over,
 * and reading goes on with the next one.
 *
 * Never reads lines within a quoted field as records, however long the field is: a user may have put such lines, with another
 * person's address, into their own name.
 * @throws UsageError if the first line is not a list of names
 */
export async function* readCsvRecords(path: string, after?: string): AsyncGenerator<FileRecord> {
  const names = await readNames(path)
  let from = after
  for (;;) {
    const broken = yield* readUntilBroken(path, names, from)
    if (!broken) return
    yield broken
    from = broken.cursor
  }
}

/** @returns the first line of a record that goes on in further lines and breaks there. They have to be read again. */
async function* readUntilBroken(
  path: string,
  names: readonly string[],
  after: string | undefined,
): AsyncGenerator<FileRecord, FileRecord | null> {
  let open: OpenRecord | null = null
  for await (const line of readLines(path, after)) {
    if (after === undefined && line.number === 1) continue
    const record: OpenRecord = addLine(open, line)
    open = null
    if (record.end === "quoted") open = record
    else if (record.end === "whole") yield toRecord(record, line, names)
    else if (record.first === line) yield toBroken(record)
    else return toBroken(record)
  }
  return open && toBroken(open)
}

async function readNames(path: string): Promise<readonly string[]> {
  for await (const { text } of readLines(path)) {
    const names = text === null ? null : splitRecord(text)
    if (names?.every((name) => /^[\w. -]{1,100}$/.test(name))) return names
    break
  }
  throw new UsageError(`The first line of ${path} does not name the columns.`)
}

/** A record, as far as its lines are read. */
interface OpenRecord {
  readonly first: Line
  readonly text: string
  readonly length: number
  readonly problem: string | undefined
  readonly end: LineEnd
}

/** What a line ends: a whole record, or text in quotes, which goes on in the next line. */
type LineEnd = "whole" | "quoted" | "broken"

function addLine(before: OpenRecord | null, line: Line): OpenRecord {
  const length = (before?.length ?? 0) + (line.text?.length ?? 0)
  const isTooLong = length > maxLength
  const text = before ? `${before.text}\n${line.text}` : (line.text ?? "")
  return {
    first: before?.first ?? line,
    text: isTooLong ? "" : text,
    length,
    problem: before?.problem ?? line.problem ?? (isTooLong ? "The record is longer than 1 MiB" : undefined),
    // The end of a record that is too long has to be found, too. In a line that cannot be read, it cannot be found.
    end: line.text === null ? (before ? "quoted" : "whole") : findEnd(line.text, before !== null),
  }
}

/** Quotes enclose whole fields, and are doubled in them. */
function findEnd(text: string, isOpen: boolean): LineEnd {
  for (let at = 0, isQuoted = isOpen; ; at += 1, isQuoted = false) {
    const end: number | LineEnd = findFieldEnd(text, at, isQuoted)
    if (typeof end === "string") return end
    if (end === text.length) return "whole"
    at = end
  }
}

/** @returns where the comma after a field is */
function findFieldEnd(text: string, from: number, isOpen: boolean): number | LineEnd {
  if (isOpen || text[from] === '"') {
    const closing = findClosing(text, isOpen ? from : from + 1)
    if (closing === -1) return "quoted"
    return closing + 1 === text.length || text[closing + 1] === "," ? closing + 1 : "broken"
  }
  const comma = text.indexOf(",", from)
  const end = comma === -1 ? text.length : comma
  return text.slice(from, end).includes('"') ? "broken" : end
}

function findClosing(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return -1
}

function toRecord({ first, text, problem }: OpenRecord, { cursor }: Line, names: readonly string[]): FileRecord {
  const place = { line: first.number, cursor }
  if (problem !== undefined) return { ...place, record: null, problem }
  const fields = splitRecord(text)
  if (fields?.length === names.length)
    return { ...place, record: Object.fromEntries(names.map((name, n) => [name, fields[n]])) }
  return { ...place, record: null, problem: `The line has ${fields?.length} fields instead of ${names.length}` }
}

function toBroken({ first }: OpenRecord): FileRecord {
  return { line: first.number, cursor: first.cursor, record: null, problem: "The quotes of the line are broken" }
}

/** Null if the quotes are broken. */
function splitRecord(text: string): readonly string[] | null {
  const fields: string[] = []
  const field = /"((?:[^"]|"")*)"(?=,|$)|([^",]*)(?=,|$)/y
  for (;;) {
    const found = field.exec(text)
    if (!found) return null
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "")
    const end = found.index + found[0].length
    if (end === text.length) return fields
    field.lastIndex = end + 1
  }
}
