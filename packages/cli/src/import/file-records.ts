import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { UsageError } from "../config.js"
import { toObject } from "./values.js"

/** A record of a file. */
export interface FileRecord {
  /** The line that it begins in, from 1. */
  readonly line: number
  /** Where reading goes on after it. */
  readonly cursor: string
  /** Null for one that cannot be read. */
  readonly record: Readonly<Record<string, unknown>> | null
  /** Why it cannot be read. */
  readonly problem?: string
}

/** A file of a source. */
export interface SourceFile {
  readonly path: string
  /** Of all bytes, so that a file may be moved between two attempts, and two exports are never taken for one. */
  readonly fingerprint: string
  /** The first kilobytes. */
  readonly beginning: string
}

/** @throws UsageError if no file is named, or it is not a text file in UTF-8 */
export async function openSourceFile(argument: string | undefined, folder: string, hint: string): Promise<SourceFile> {
  if (argument === undefined) throw new UsageError(hint)
  const path = resolve(folder, argument)
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new UsageError(`There is no file ${toShownPath(argument, path)}. ${hint}`)
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536), 0, 65_536, 0)
    const beginning = buffer.subarray(0, bytesRead)
    const [first, second] = beginning
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
      throw new UsageError(`The file ${path} is UTF-16. Save it as UTF-8.`)
    if (first === 0x1f && second === 0x8b) throw new UsageError(`The file ${path} is compressed. Run gunzip first.`)
    const hash = createHash("sha256")
    for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(chunk)
    return { path, fingerprint: hash.digest("base64url"), beginning: beginning.toString("utf8").replace(/^\uFEFF/, "") }
  } finally {
    await file.close()
  }
}

/** What was given may be the address of a database, with its password. */
function toShownPath(argument: string, path: string): string {
  return /[=@]/.test(argument) ? "of that name" : path
}

/** The longest record that is read, in bytes. */
const maxBytes = 1_048_576

/**
 * Reads the objects of a JSON file of any size: one a line, or in an array, which may be a member of an object (`users`, `data`).
 * What is broken is passed over up to the next line that begins as the broken object did.
 *
 * Never reads a nested object as a record, whatever the formatting: a user may have stored one, with another person's address, in
 * their own data.
 */
export async function* readJsonRecords(path: string, after?: string): AsyncGenerator<FileRecord> {
  let from: ScanStart | null = toStart(after)
  while (from) {
    const scanner = new JsonScanner(from)
    for await (const chunk of createReadStream(path, { start: from.at, highWaterMark: 262_144 })) {
      const bytes: Buffer = chunk
      yield* scanner.scan(bytes)
    }
    from = yield* scanner.end()
  }
}

/** Where a scan begins. */
interface ScanStart {
  readonly at: number
  readonly line: number
  readonly isWrapped: boolean
  /** The first object has no end, as an earlier scan found out. Undefined: nothing is known of it. */
  readonly brokenIndent?: number
}

function toStart(after: string | undefined): ScanStart {
  const [at = 0, line = 1, isWrapped = 0] = after?.split(":").map(Number) ?? []
  return { at, line, isWrapped: isWrapped === 1 }
}

const [tab, lineFeed, carriageReturn, space, quote, comma, colon] = [9, 10, 13, 32, 34, 44, 58]
const [backslash, openBracket, closeBracket, openBrace, closeBrace] = [92, 91, 93, 123, 125]
const separators = new Set([
  tab,
  lineFeed,
  carriageReturn,
  space,
  comma,
  colon,
  quote,
  openBracket,
  closeBracket,
  closeBrace,
])
/** A byte order mark. */
const mark = new Set([0xef, 0xbb, 0xbf])

/** How many open brackets of a record are tracked. Nothing that is nested deeper is imported. */
const maxTracked = 1000

/** Finds where objects begin and end; what is in them is parsed when they are whole. */
class JsonScanner {
  #at: number
  #line: number
  #isWrapped: boolean
  #depth = 0
  #isText = false
  #isEscaped = false
  /** Spaces before the first character of a line. -1 after it. */
  #indent = 0
  /** The line of something else than objects. 0: none. */
  #garbageLine = 0
  #parts: Buffer[] = []
  #length = 0
  #begin = { at: 0, line: 1, indent: -1 }
  /** The last byte of the record outside of text and space. */
  #last = 0
  /** Which of the open brackets of the record are those of arrays, as far as they are few. */
  #arrays: boolean[] = []
  /** Whether the record cannot be JSON. */
  #isBroken = false
  /** Where the record begins in the chunk. */
  #from = 0
  /** Of the first record, if it is known to have no end. */
  #indentOfBroken: number | undefined

  constructor({ at, line, isWrapped, brokenIndent }: ScanStart) {
    this.#at = at
    this.#line = line
    this.#isWrapped = isWrapped
    if (at > 0) this.#indent = -1
    this.#indentOfBroken = brokenIndent
  }

  *scan(bytes: Buffer): Generator<FileRecord> {
    this.#from = 0
    for (let n = 0; n < bytes.length; n++) {
      const found = this.#step(bytes, n)
      if (found === undefined) continue
      if (found === "garbage") yield this.#refuse(this.#at + n + 1)
      else if (found === "whole") yield this.#take(bytes, n + 1)
      else {
        const { indent } = this.#begin
        yield this.#take(bytes, n, "The object has no end")
        this.#startRecord(n, indent)
      }
    }
    if (this.#depth > 0) this.#keep(bytes.subarray(this.#from))
    this.#at += bytes.length
  }

  /** @returns where to scan again: the record that begins there has no end, and has taken what is behind it */
  *end(): Generator<FileRecord, ScanStart | null> {
    this.#from = 0
    const { at, line, indent } = this.#begin
    if (this.#depth > 0 && !this.#isBroken) return { at, line, isWrapped: this.#isWrapped, brokenIndent: indent }
    if (this.#depth > 0) yield this.#take(Buffer.alloc(0), 0, "The object has no end")
    else if (this.#garbageLine > 0) yield this.#refuse(this.#at)
    return null
  }

  /** @returns what ends here: an object, one whose end is missing, or a line of something else */
  #step(bytes: Buffer, n: number): "whole" | "cut" | "garbage" | undefined {
    const byte = bytes[n] ?? 0
    if (byte === lineFeed) {
      this.#startLine()
      return this.#garbageLine > 0 ? "garbage" : undefined
    }
    const indent = this.#indent
    if (indent >= 0 && (byte === space || byte === tab)) {
      this.#indent += 1
      return undefined
    }
    this.#indent = -1
    if (this.#depth === 0) return this.#stepOutside(byte, n, indent)
    if (byte === openBrace && indent >= 0 && indent === this.#begin.indent && !this.#mayBeginValue()) return "cut"
    if (this.#isText) this.#stepInText(byte)
    else if (byte === quote) {
      this.#isText = true
      this.#last = quote
    } else if (byte !== space && byte !== tab && byte !== carriageReturn) return this.#stepInRecord(bytes, n)
    return undefined
  }

  /** Whether a value may begin here in JSON. Where not, the record has no end, and an object that begins is another record. */
  #mayBeginValue(): boolean {
    if (this.#isBroken) return false
    const { length } = this.#arrays
    return (
      this.#last === openBracket || this.#last === colon || (this.#last === comma && this.#arrays[length - 1] !== false)
    )
  }

  #stepOutside(byte: number, n: number, indent: number): undefined {
    if (byte === openBrace) this.#startRecord(n, indent)
    else if (!this.#isWrapped && !separators.has(byte) && !mark.has(byte)) this.#garbageLine = this.#line
  }

  #startLine(): void {
    this.#line += 1
    this.#indent = 0
    if (this.#isText) this.#isBroken = true // Text of JSON has no line ends.
    this.#isText = false
    this.#isEscaped = false
  }

  #stepInText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#isText = false
  }

  #stepInRecord(bytes: Buffer, n: number): "whole" | undefined {
    const byte = bytes[n] ?? 0
    this.#last = byte
    if (byte === openBrace || byte === openBracket) this.#open(bytes, n)
    else if (byte === closeBrace || byte === closeBracket) return this.#close(byte)
    return undefined
  }

  #open(bytes: Buffer, n: number): void {
    const isArray = bytes[n] === openBracket
    this.#depth += 1
    if (this.#depth <= maxTracked) this.#arrays.push(isArray)
    if (!isArray || this.#depth !== 2 || !this.#isWrapper(bytes, n)) return
    this.#isWrapped = true
    this.#clear()
  }

  #close(byte: number): "whole" | undefined {
    const isArray = this.#depth <= maxTracked ? this.#arrays.pop() : undefined
    if (isArray === (byte === closeBrace)) this.#isBroken = true
    this.#depth -= 1
    return this.#depth === 0 ? "whole" : undefined
  }

  #startRecord(n: number, indent: number): void {
    this.#depth = 1
    this.#begin = { at: this.#at + n, line: this.#line, indent: this.#indentOfBroken ?? indent }
    this.#isBroken = this.#indentOfBroken !== undefined
    this.#indentOfBroken = undefined
    this.#arrays = [false]
    this.#last = openBrace
    this.#from = n
    this.#garbageLine = 0
  }

  /** The array of users is a member of the outermost object. */
  #isWrapper(bytes: Buffer, n: number): boolean {
    if (this.#length + n - this.#from > 100) return false
    const text = Buffer.concat([...this.#parts, bytes.subarray(this.#from, n)]).toString("utf8")
    return /^\{\s*"(?:users|data)"\s*:\s*$/.test(text)
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length
    // A copy, since the rest of the chunk is not needed.
    if (this.#length <= maxBytes) this.#parts.push(Buffer.from(bytes))
    else this.#parts = []
  }

  #take(bytes: Buffer, to: number, broken?: string): FileRecord {
    this.#keep(bytes.subarray(this.#from, to))
    const [whole, length] = [Buffer.concat(this.#parts), this.#length]
    this.#clear()
    const place = { line: this.#begin.line, cursor: this.#toCursor(this.#at + to) }
    if (length > maxBytes) return { ...place, record: null, problem: "The object is longer than 1 MiB" }
    if (!isUtf8(whole)) return { ...place, record: null, problem: "The object is not UTF-8" }
    const record = broken === undefined ? toObject(whole.toString("utf8")) : null
    return record ? { ...place, record } : { ...place, record: null, problem: broken ?? "The object is not JSON" }
  }

  #clear(): void {
    this.#depth = 0
    this.#isText = false
    this.#isEscaped = false
    this.#parts = []
    this.#length = 0
  }

  #refuse(at: number): FileRecord {
    const line = this.#garbageLine
    this.#garbageLine = 0
    return { line, cursor: this.#toCursor(at), record: null, problem: "The line is not JSON" }
  }

  #toCursor(at: number): string {
    return `${at}:${this.#line}:${this.#isWrapped ? 1 : 0}`
  }
}
