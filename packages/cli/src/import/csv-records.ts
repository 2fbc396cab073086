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
  let cursor = after ?? ""
  const quotes = new QuoteScanner()
  for await (const line of readLines(path, after, (bytes) => quotes.scan(bytes))) {
    if (after === undefined && line.number === 1) continue
    const record: OpenRecord = addLine(open, line)
    cursor = line.cursor
    open = null
    if (quotes.end === "quoted") open = record
    else if (quotes.end === "whole") yield toRecord(record, line, names)
    else if (record.first === line) yield toBroken(record)
    else return toBroken(record)
  }
  // If the file was cut off inside a quoted field, the lines of that field are text of a user, not records.
  if (open) yield { line: open.first.number, cursor, record: null, problem: open.problem ?? endless }
  return null
}

const endless = "A quoted field of this line is never closed, so nothing after it was read"

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
}

function addLine(before: OpenRecord | null, line: Line): OpenRecord {
  const length = (before?.length ?? 0) + (line.text?.length ?? 0)
  const isTooLong = length > maxLength
  const problem = before?.problem ?? line.problem ?? (isTooLong ? "The record is longer than 1 MiB" : undefined)
  const text = before ? `${before.text}\n${line.text}` : (line.text ?? "")
  return { first: before?.first ?? line, text: problem === undefined ? text : "", length, problem }
}

const [lineFeed, carriageReturn, quote, comma] = [10, 13, 34, 44]

/** Where a byte of a line is. `closing`: behind a quote that may be doubled, or end the field. */
type Place = "start" | "field" | "quoted" | "closing" | "closed" | "broken"

/**
 * Finds what each line ends: a whole record, or text in quotes, which goes on in the next line. Quotes enclose whole fields, and
 * are doubled in them. Reads bytes, and keeps none: the end of a record has to be found in a line that is too long, too.
 */
class QuoteScanner {
  /** Of the last line that was scanned to its end. */
  end: "whole" | "quoted" | "broken" = "whole"
  #place: Place = "start"

  scan(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === lineFeed) this.#endLine()
      else this.#place = this.#step(byte)
    }
  }

  #endLine(): void {
    const place = this.#place
    this.end = place === "quoted" || place === "broken" ? place : "whole"
    if (place !== "quoted") this.#place = "start"
  }

  #step(byte: number): Place {
    const place = this.#place
    if (place === "quoted") return byte === quote ? "closing" : place
    if (place === "broken") return place
    if (byte === comma) return "start"
    if (place === "start") return byte === quote ? "quoted" : "field"
    if (place === "field") return byte === quote ? "broken" : place
    if (place === "closing" && byte === quote) return "quoted"
    // Before the end of a line.
    return place === "closing" && byte === carriageReturn ? "closed" : "broken"
  }
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
  const { number: line, cursor, problem = "The quotes of the line are broken" } = first
  return { line, cursor, record: null, problem }
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
