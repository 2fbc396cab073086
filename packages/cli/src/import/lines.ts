import { isUtf8 } from "node:buffer"
import { createReadStream } from "node:fs"

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** Where reading goes on after this line. */
  readonly cursor: string
  /** Null for a line that cannot be read. */
  readonly text: string | null
  /** Why it cannot be read. */
  readonly problem?: string
}

/** The longest line that is read, in bytes. A longer one is passed over, without keeping it in memory. */
const maxLineBytes = 1_048_576

/**
 * Reads a file of any size line by line. Blank lines are left out, and so is a byte order mark.
 * @param watch Gets all bytes up to the end of a line before the line is given, also those of a line that cannot be read.
 */
export async function* readLines(
  path: string,
  after?: string,
  watch: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Line> {
  const [start = 0, startNumber = 0] = after?.split(":").map(Number) ?? []
  const parts: Buffer[] = []
  let [length, end, number] = [0, start, startNumber]
  const take = (part: Buffer, ending: number): Line | null => {
    length += part.length
    if (length <= maxLineBytes) parts.push(part)
    number += 1
    end += length + ending
    const cursor = `${end}:${number}`
    const line = length > maxLineBytes ? { text: null, problem: tooLong } : decode(Buffer.concat(parts), number)
    parts.length = 0
    length = 0
    return line.text === "" ? null : { ...line, number, cursor }
  }
  for await (const chunk of createReadStream(path, { start, highWaterMark: 65_536 })) {
    const bytes: Buffer = chunk
    let from = 0
    for (let to = bytes.indexOf(10); to !== -1; to = bytes.indexOf(10, from)) {
      watch(bytes.subarray(from, to + 1))
      const line = take(bytes.subarray(from, to), 1)
      from = to + 1
      if (line) yield line
    }
    watch(bytes.subarray(from))
    length += bytes.length - from
    // A copy, since the rest of the chunk is not needed.
    if (length <= maxLineBytes) parts.push(Buffer.from(bytes.subarray(from)))
    else parts.length = 0
  }
  if (length === 0) return
  watch(Buffer.from("\n"))
  const last = take(Buffer.alloc(0), 0)
  if (last) yield last
}

const tooLong = "The line is longer than 1 MiB"

function decode(bytes: Buffer, number: number): Pick<Line, "text" | "problem"> {
  if (!isUtf8(bytes)) return { text: null, problem: "The line is not UTF-8" }
  const text = bytes.toString("utf8")
  const line = (number === 1 ? text.replace(/^\uFEFF/, "") : text).replace(/\r$/, "")
  return { text: line.trim() === "" ? "" : line }
}
