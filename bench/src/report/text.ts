import type { Report, Verdict } from "./report.ts"

/** A report for a terminal. */
export function toText({ id, title, columns, rows, verdicts, notes }: Report): string {
  const lines = [`== ${title} (${id})`, ...align([columns, ...rows]), ...verdicts.map(toLine)]
  return `${[...lines, ...notes.map((note) => `   ${note}`)].join("\n")}\n`
}

function toLine({ goal, measured, isReached }: Verdict): string {
  return `   ${isReached ? "reached" : "NOT REACHED"}: ${goal}; measured ${measured}`
}

/** The first column to the left, the others to the right. */
function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => {
    const cells = row.map((cell, column) => pad(cell, widths[column] ?? 0, column === 0))
    return `   ${cells.join("  ").trimEnd()}`
  })
}

function pad(cell: string, width: number, isFirst: boolean): string {
  return isFirst ? cell.padEnd(width) : cell.padStart(width)
}
