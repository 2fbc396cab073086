import { UsageError } from "../config.js"
import type { FileRecord } from "./file-records.js"
import { type Line, readLines } from "./lines.js"

/** How many lines a record may have: text in quotes may contain line ends. */
const maxLines = 50

/**
 * Reads the records of a CSV file of any size (RFC 4180) by the names of its first line. A line that is broken is passed over,
 * and reading goes on with the next one.
 * @throws UsageError if the first line is not a list of names
 */
export async function* readCsvRecords(path: string, after?: string): AsyncGenerator<FileRecord> {
  const names = await readNames(path)
  const isBefore = ({ number }: Line) => after === undefined && number === 1
  let waiting: Line[] = []
  for await (const line of readLines(path, after)) {
    if (isBefore(line)) continue
    waiting.push(line)
    const { records, rest } = takeRecords(waiting, names, false)
    yield* records
    waiting = rest
  }
  yield* takeRecords(waiting, names, true).records
}

async function readNames(path: string): Promise<readonly string[]> {
  for await (const { text } of readLines(path)) {
    const names = text === null ? null : splitRecord(text)
    if (names?.every((name) => /^[\w. -]{1,100}$/.test(name))) return names
    break
  }
  throw new UsageError(`The first line of ${path} does not name the columns.`)
}

interface Taken {
  readonly records: readonly FileRecord[]
  /** Lines of a record that goes on. */
  readonly rest: Line[]
}

function takeRecords(lines: readonly Line[], names: readonly string[], isEnd: boolean): Taken {
  const records: FileRecord[] = []
  let rest = [...lines]
  for (;;) {
    const [first] = rest
    if (!first) return { records, rest }
    const count = countLines(rest)
    if (count === 0 && !isEnd && rest.length < maxLines) return { records, rest }
    const { cursor, problem } = rest[count - 1] ?? first
    const fields =
      count === 0 || problem !== undefined
        ? null
        : splitRecord(
            rest
              .slice(0, count)
              .map(({ text }) => text)
              .join("\n"),
          )
    if (fields?.length === names.length) {
      const record = Object.fromEntries(names.map((name, n) => [name, fields[n]]))
      records.push({ line: first.number, cursor, record })
      rest = rest.slice(count)
    } else {
      const reason = first.problem ?? toProblem(fields, names)
      records.push({ line: first.number, cursor: first.cursor, record: null, problem: reason })
      rest = rest.slice(1)
    }
  }
}

function toProblem(fields: readonly string[] | null, names: readonly string[]): string {
  return fields
    ? `The line has ${fields.length} fields instead of ${names.length}`
    : "The quotes of the line are broken"
}

/** How many lines the first record has. 0 if it has no end yet. */
function countLines(lines: readonly Line[]): number {
  let quotes = 0
  for (const [n, { text }] of lines.entries()) {
    if (text === null) return n === 0 ? 1 : 0
    quotes += text.split('"').length - 1
    if (quotes % 2 === 0) return n + 1
  }
  return 0
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
