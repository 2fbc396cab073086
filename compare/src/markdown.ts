// What the generated pages share.
import type { Cell } from "./attack.ts"

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
