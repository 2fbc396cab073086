// What the generated pages share.
import type { Cell } from "../attacks/attack.ts"

/** The marks of the tables. */
export const symbols: Readonly<Record<Cell["outcome"], string>> = { refused: "✓", "gets in": "✗", absent: "–" }

/** The anchor of a heading, as the forge and the site form it. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

export const toTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

interface ListedRow<Id extends string> {
  readonly title: string
  readonly cells: Readonly<Record<Id | "latchkey", Pick<Cell, "outcome" | "detail">>>
}

interface ListOptions<Id extends string> {
  readonly ids: readonly Id[]
  readonly names: Readonly<Record<Id, string>>
  /** The page with the rows. Empty: this one. */
  readonly page: string
}

/** A line for each row in which a peer refuses what we do not. */
export function listWeak<Id extends string>(
  rows: readonly ListedRow<Id>[],
  { ids, names, page }: ListOptions<Id>,
): readonly string[] {
  return rows.flatMap(({ title, cells }) => {
    const better = ids.filter((id) => cells[id].outcome === "refused").map((id) => names[id])
    if (cells.latchkey.outcome !== "gets in" || better.length === 0) return []
    return [`- [${title}](${page}#${toAnchor(title)}): ${cells.latchkey.detail}. Better: ${better.join(", ")}.`]
  })
}
