import { createHash } from "node:crypto"
import { closeSync, existsSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs"
import { UsageError } from "../config.js"
import { toJsonLine } from "../terminal.js"
import { readLines } from "./lines.js"
import { getOwn, toObject } from "./values.js"

/** A line of the report: a row that was refused, or what did not come along with a user. */
export interface ReportLine {
  readonly kind: "refused" | "left"
  readonly id: string | undefined
  readonly line: number | undefined
  readonly reason: string
}

/** A file of JSON lines. It has no addresses and no hashes. */
export interface Report {
  /** Appends lines. Returns the length of the file in bytes. */
  append(lines: readonly ReportLine[]): number
  /** Takes back what was appended beyond a length. */
  cut(bytes: number): void
  close(): void
}

/** Ids that a store generated, in the file of `--map`: lines with `from`, `to` and `source`. The last line of an id counts. */
export interface IdMap {
  find(id: string): string | undefined
  add(id: string, ours: string): void
  /** The length of the file in bytes. */
  length(): number
  /** Takes back what was added beyond a length. */
  cut(bytes: number): void
  close(): void
}

/** A file whose end can be taken back, so that it has what the store has. */
interface WrittenFile extends Pick<IdMap, "length" | "cut" | "close"> {
  append(text: string): void
}

function openFile(path: string, bytes: number): WrittenFile {
  const file = openSync(path, bytes === 0 ? "w+" : "r+", 0o600)
  let length = bytes
  ftruncateSync(file, length)
  return {
    append(text) {
      const written = Buffer.from(text)
      for (let at = 0; at < written.length; ) at += writeSync(file, written, at, written.length - at, length + at)
      length += written.length
    },
    length: () => length,
    cut(to) {
      length = to
      ftruncateSync(file, to)
    },
    close: () => closeSync(file),
  }
}

/** A byte of a file. Empty after its end. */
function readByte(path: string, at: number): string {
  const [file, byte] = [openSync(path, "r"), Buffer.alloc(1)]
  const count = readSync(file, byte, 0, 1, at)
  closeSync(file)
  return byte.toString("latin1", 0, count)
}

/** @throws UsageError if the file is shorter than an interrupted import left it, or has no end of a line there */
function assertSame(option: string, path: string, bytes: number): void {
  if (bytes === 0 || (existsSync(path) && readByte(path, bytes - 1) === "\n")) return
  throw new UsageError(`The file of ${option} is not the one that the interrupted import wrote. Name that one.`)
}

/**
 * Opens the report for its owner alone.
 * @param bytes How much of the file an interrupted import has written.
 * @throws UsageError if the file is shorter
 */
export function openReport(path: string | undefined, bytes: number): Report {
  if (path === undefined) return { append: () => 0, cut: () => {}, close: () => {} }
  assertSame("--report", path, bytes)
  const { append, length, cut, close } = openFile(path, bytes)
  return {
    append(lines) {
      append(lines.map(toText).join(""))
      return length()
    },
    cut,
    close,
  }
}

/** What is known of the file of `--map`. */
export interface MapState {
  /** How much of the file was written with users who are stored. Null: all of it. */
  readonly bytes: number | null
  readonly isResumed: boolean
  readonly isDryRun: boolean
  /** The name of the source: users of another one may have the same ids. */
  readonly sourceId: string
}

/**
 * Opens the file of `--map`. A process that was killed may have left half a line, or lines of users who were not stored: they are
 * taken back.
 * @throws UsageError if another import writes the file, a line is something else or of another source, or the file is not the
 * one that an interrupted import wrote
 */
export async function openIdMap(path: string, state: MapState): Promise<IdMap> {
  if (state.isDryRun) return readIdMap(path, state)
  const unlock = await lock(path)
  try {
    const { close, ...map } = await readIdMap(path, state)
    return {
      ...map,
      close() {
        close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Keeps other imports from writing the file, since each would overwrite the other's lines. The lock belongs to SQLite, so it ends with
 * the process, also if that is killed.
 */
async function lock(path: string): Promise<() => void> {
  // Bun has no such module.
  const sqlite = await import("node:sqlite").catch(() => null)
  if (!sqlite) return () => {}
  const own = `${path}.lock`
  // Creates the file, to know which one is opened next.
  new sqlite.DatabaseSync(own).close()
  const before = statSync(own, { throwIfNoEntry: false })
  const database = new sqlite.DatabaseSync(own, { timeout: 0 })
  try {
    database.exec("begin exclusive")
    // An import that ends removes its file. A lock on a removed file keeps nobody away.
    if (statSync(own).ino !== before?.ino) throw new Error(`${own} was replaced`)
  } catch (cause) {
    database.close()
    throw new UsageError("Another import writes the file of --map. Wait for its end, or name another file.", { cause })
  }
  return () => {
    // While it is locked. Windows does not remove an open file: there, it stays.
    try {
      rmSync(own)
    } catch {}
    database.close()
  }
}

async function readIdMap(path: string, { bytes, isResumed, isDryRun, sourceId }: MapState): Promise<IdMap> {
  const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (isResumed) assertSame("--map", path, bytes ?? 0)
  else if (bytes !== null && size > bytes)
    throw new UsageError(
      "The file of --map goes on after what an interrupted import stored. Add --resume, or name another.",
    )
  const { known, end } = existsSync(path)
    ? await readPairs(path, bytes ?? Infinity, sourceId)
    : { known: new Map(), end: 0 }
  if (isDryRun) return { find: (id) => known.get(id), add() {}, length: () => end, cut() {}, close() {} }
  const file = openFile(path, end)
  if (end > 0 && readByte(path, end - 1) !== "\n") file.append("\n")
  return toIdMap(file, known, sourceId)
}

/** @returns the pairs up to a length, and where they end */
async function readPairs(
  path: string,
  bytes: number,
  sourceId: string,
): Promise<{ known: Map<string, string>; end: number }> {
  const known = new Map<string, string>()
  const { size } = statSync(path)
  let end = 0
  for await (const { text, number, cursor } of readLines(path)) {
    const [after = 0] = cursor.split(":").map(Number)
    if (after > bytes) break
    const pair = text === null ? null : parsePair(text)
    if (pair?.source !== undefined && pair.source !== sourceId)
      throw new UsageError("The file of --map has the ids of another source. Name a file for this one.")
    if (pair) known.set(pair.from, pair.to)
    else if (after === size && lineStart.startsWith(text?.slice(0, lineStart.length) ?? "-")) break
    else throw new UsageError(`Line ${number} of the file of --map has no "from" and "to". Name the file of an import.`)
    end = after
  }
  return { known, end }
}

/** How each line begins, half a line included. */
const lineStart = '{"from":"'

function toIdMap({ append, cut, ...file }: WrittenFile, known: Map<string, string>, source: string): IdMap {
  const added: { readonly at: number; readonly from: string; readonly before: string | undefined }[] = []
  return {
    ...file,
    find: (id) => known.get(id),
    add(from, to) {
      added.push({ at: file.length(), from, before: known.get(from) })
      known.set(from, to)
      append(toJsonLine({ from, to, source }))
    },
    cut(bytes) {
      cut(bytes)
      while ((added.at(-1)?.at ?? -1) >= bytes) {
        const { from, before } = added.pop() ?? { from: "", before: undefined }
        if (before === undefined) known.delete(from)
        else known.set(from, before)
      }
    },
  }
}

interface Pair {
  readonly from: string
  readonly to: string
  /** Undefined in lines that were written by hand. */
  readonly source: unknown
}

function parsePair(text: string): Pair | null {
  const found = toObject(text)
  const [from, to] = [getOwn(found, "from"), getOwn(found, "to")]
  return typeof from === "string" && typeof to === "string" ? { from, to, source: getOwn(found, "source") } : null
}

function toText({ kind, id, line, reason }: ReportLine): string {
  return toJsonLine({ kind, ...(id !== undefined && { id: toShownId(id) }), line, reason })
}

/** An id as it is shown. Some systems use addresses as ids: those are shown as the start of their SHA-256. */
function toShownId(id: string): string {
  const shown = id.slice(0, 255)
  return shown.includes("@") ? `sha256:${createHash("sha256").update(id).digest("hex").slice(0, 16)}` : shown
}
