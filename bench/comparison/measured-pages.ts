// The pages about speed, size, start and types, from the reports of the bench.

import { type PeerId, peerIds } from "../attacks/app.ts"
import { peers } from "../attacks/table.ts"
import type { Report } from "../speed/report/report.ts"
import { drawBars } from "./plot.ts"

export const names: Readonly<Record<PeerId, string>> = {
  latchkey: "Latchkey",
  "auth-core": "Auth.js",
  "better-auth": "Better Auth",
  "iron-session": "iron-session",
}

/** One number of each library; less is better. */
export interface MeasuredTable {
  readonly id: string
  readonly title: string
  readonly page: "speed.md" | "size.md"
  readonly unit: string
  /** What the README calls the row. Without it, the row stays out of the README. */
  readonly summary?: string
  readonly values: Readonly<Partial<Record<PeerId, string>>>
  /** The peers whose number is smaller than ours by more than the noise of a shared machine. */
  readonly better: readonly string[]
  readonly report: Report
}

interface Source extends Pick<MeasuredTable, "page" | "unit" | "summary"> {
  readonly report: string
  readonly title?: string
  /** The first cell of the row of a library. */
  readonly row: (id: PeerId) => string
  readonly column: number
}

const rate = (report: string, summary?: string): Source => ({
  report,
  page: "speed.md",
  unit: "µs",
  row: (id) => id,
  column: 4,
  ...(summary !== undefined && { summary }),
})

const sources: readonly Source[] = [
  rate("session-stateless", "Check of a stateless session"),
  rate("session-anonymous"),
  rate("session-memory"),
  rate("session-sqlite", "Check of a session in SQLite"),
  rate("credentials"),
  rate("oauth-start"),
  rate("oidc-callback"),
  {
    report: "startup",
    title: "Import in a fresh process, over bare Node",
    page: "size.md",
    unit: "ms",
    summary: "Import in a fresh process",
    row: (id) => `${id}: import`,
    column: 3,
  },
  {
    report: "bundle",
    title: "Bundle for Node, loaded before the first request",
    page: "size.md",
    unit: "kB",
    summary: "Bundle for Node before the first request",
    row: (id) => `${id}, node`,
    column: 2,
  },
  {
    report: "bundle",
    title: "Bundle for an edge runtime, in one file",
    page: "size.md",
    unit: "kB",
    summary: "Bundle for an edge runtime, in one file",
    row: (id) => `${id}, edge`,
    column: 1,
  },
  {
    report: "install",
    title: "Installed size",
    page: "size.md",
    unit: "MB",
    summary: "Installed size",
    row: (id) => peers[id].packageName,
    column: 2,
  },
  {
    report: "types",
    title: "Type instantiations of an app with three providers",
    page: "size.md",
    unit: "instantiations",
    summary: "Type instantiations of a small app",
    row: (id) => id,
    column: 1,
  },
]

/** Numbers that differ by less are the same on a shared machine. */
const noise = 1.1

export function readTables(reports: readonly Report[]): readonly MeasuredTable[] {
  return sources.flatMap(({ report: id, row, column, title, ...source }) => {
    const report = reports.find((each) => each.id === id)
    if (report === undefined) return []
    const cellOf = (peer: PeerId): string | undefined => report.rows.find(([name]) => name === row(peer))?.[column]
    const cells = peerIds.flatMap((peer) => {
      const cell = cellOf(peer)
      return cell === undefined || cell === "" ? [] : [[peer, cell] as const]
    })
    const own = Number(cellOf("latchkey"))
    const better = cells.filter(([, cell]) => Number(cell) * noise < own).map(([peer]) => names[peer])
    const values = Object.fromEntries(
      cells.map(([peer, cell]) => [peer, `${cell} ${source.unit === "instantiations" ? "" : source.unit}`.trim()]),
    )
    return [{ ...source, id, title: title ?? report.title, values, better, report }]
  })
}

export type Pages = Readonly<Record<string, string>>

export function toSpeedPage(tables: readonly MeasuredTable[], circumstances: string): Pages {
  const own = tables.filter(({ page }) => page === "speed.md")
  const page = `# Speed

Microseconds of one operation with 32 in flight, medians; less is better. [How the bench measures](../../bench/README.md), and what its *limit* is.
Password hashing is off everywhere, since it would hide the rest.

${circumstances}

![Microseconds of one operation](speed.svg)

${own.map(({ report }) => toSection(report)).join("\n\n")}
`
  return { "speed.md": page, "speed.svg": draw(own, "µs of one operation, 32 in flight (logarithmic)") }
}

export function toSizePage(tables: readonly MeasuredTable[], circumstances: string): Pages {
  const own = tables.filter(({ page }) => page === "size.md")
  const reports = [...new Map(own.map(({ report }) => [report.id, report])).values()]
  const page = `# Size, start and types

Less is better; the bars are logarithmic. iron-session has no sign-in, so it can be the smallest.

${circumstances}

![Size, start and types](size.svg)

${reports.map(toSection).join("\n\n")}
`
  return { "size.md": page, "size.svg": draw(own) }
}

function draw(tables: readonly MeasuredTable[], unit?: string): string {
  return drawBars({
    title: tables
      .map(
        ({ title, values }) =>
          `${title}: ${Object.entries(values)
            .map(([id, text]) => `${id} ${text}`)
            .join(", ")}`,
      )
      .join(". "),
    ...(unit !== undefined && { unit }),
    isLogarithmic: true,
    labels: peerIds.map((id) => names[id]),
    bars: tables.flatMap(({ title, values }) =>
      peerIds.flatMap((id) => {
        const text = values[id]
        if (text === undefined) return []
        return [
          {
            group: title,
            label: names[id],
            value: Number.parseFloat(text),
            text,
            color: id === "latchkey" ? "own" : "other",
          } as const,
        ]
      }),
    ),
  })
}

function toSection({ title, columns, rows, notes }: Report): string {
  const lines = [columns, columns.map((_, column) => (column === 0 ? "---" : "---:")), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
  )
  const list = notes.map((note) => `- ${note}`).join("\n")
  return `## ${title}\n\n${lines.join("\n")}${list === "" ? "" : `\n\n${list}`}`
}
