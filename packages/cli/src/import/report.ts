import { createHash } from "node:crypto"
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { UsageError } from "../config.js"
import { toJsonLine } from "../terminal.js"

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

/**
 * Opens the report for its owner alone.
 * @param bytes How much of the file an interrupted import has written.
 * @throws UsageError if the file is shorter
 */
export function openReport(path: string | undefined, bytes: number): Report {
  if (path === undefined) return { append: () => 0, cut: () => {}, close: () => {} }
  const file = openSync(path, bytes === 0 ? "w" : "r+", 0o600)
  if (fstatSync(file).size < bytes) {
    closeSync(file)
    throw new UsageError("The file of --report is not the one that the interrupted import wrote. Name that one.")
  }
  let length = bytes
  ftruncateSync(file, length)
  return {
    append(lines) {
      const text = Buffer.from(lines.map(toText).join(""))
      for (let at = 0; at < text.length; ) at += writeSync(file, text, at, text.length - at, length + at)
      length += text.length
      return length
    },
    cut(to) {
      length = to
      ftruncateSync(file, to)
    },
    close: () => closeSync(file),
  }
}

function toText({ kind, id, line, reason }: ReportLine): string {
  return toJsonLine({ kind, ...(id !== undefined && { id: toShownId(id) }), line, reason })
}

/** An id as it is shown. Some systems use addresses as ids: those are shown as the start of their SHA-256. */
function toShownId(id: string): string {
  const shown = id.slice(0, 255)
  return shown.includes("@") ? `sha256:${createHash("sha256").update(id).digest("hex").slice(0, 16)}` : shown
}
