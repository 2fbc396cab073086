import type { Report } from "./report.ts"

/** `RESULTS.md`: the goals first, then each scenario. */
export function toMarkdown(machine: readonly string[], reports: readonly Report[]): string {
  const goals = reports.flatMap(({ title, verdicts }) =>
    verdicts.map(({ goal, measured, isReached }) => [title, goal, measured, isReached ? "reached" : "**not reached**"]),
  )
  const parts = [
    "# Results",
    "Written by `npm run bench`. [README.md](README.md) says how to read it.",
    machine.map((line) => `- ${line}`).join("\n"),
    "## Goals",
    toTable(["scenario", "goal", "measured", ""], goals),
    ...reports.flatMap(toSection),
  ]
  return `${parts.join("\n\n")}\n`
}

function toSection({ title, columns, rows, notes }: Report): readonly string[] {
  const list = notes.map((note) => `- ${note}`).join("\n")
  return [`## ${title}`, toTable(columns, rows), ...(list === "" ? [] : [list])]
}

function toTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const rule = columns.map((_, column) => (column === 0 ? "---" : "---:"))
  return [line(columns), line(rule), ...rows.map(line)].join("\n")
}
