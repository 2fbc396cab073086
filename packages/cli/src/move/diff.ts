/** One line of a comparison. */
type Line = readonly [sign: " " | "-" | "+", text: string]

const contextLines = 3

/** The differences between two texts, in the format of `diff -u`. Empty if there are none. */
export function toDiff(file: string, before: string, after: string): string {
  if (before === after) return ""
  const lines = compare(before.split("\n"), after.split("\n"))
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(([sign]) => sign !== " "),
  )
  const hunks: string[] = []
  let [oldLine, newLine] = [1, 1]
  let hunk: Line[] = []
  let [oldStart, newStart] = [1, 1]
  const end = () => {
    if (hunk.length > 0) hunks.push(toHunk(hunk, oldStart, newStart))
    hunk = []
  }
  for (const [index, line] of lines.entries()) {
    if (!shown[index]) end()
    else {
      if (hunk.length === 0) [oldStart, newStart] = [oldLine, newLine]
      hunk.push(line)
    }
    if (line[0] !== "+") oldLine += 1
    if (line[0] !== "-") newLine += 1
  }
  end()
  return `--- a/${file}\n+++ b/${file}\n${hunks.join("")}`
}

function toHunk(lines: readonly Line[], oldStart: number, newStart: number): string {
  const count = (other: string) => lines.filter(([sign]) => sign !== other).length
  const body = lines.map(([sign, text]) => `${sign}${text.replace(/\r$/, "")}\n`)
  return `@@ -${oldStart},${count("+")} +${newStart},${count("-")} @@\n${body.join("")}`
}

/** Compares two lists of lines that differ in few places: after a difference, it looks for the nearest line that both have. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const lines: Line[] = []
  let [old, now] = [0, 0]
  while (old < before.length || now < after.length) {
    if (before[old] === after[now] && old < before.length) {
      lines.push([" ", before[old] ?? ""])
      old += 1
      now += 1
      continue
    }
    const [removed, added] = findNearest(before, after, old, now)
    for (let index = 0; index < removed; index += 1) lines.push(["-", before[old + index] ?? ""])
    for (let index = 0; index < added; index += 1) lines.push(["+", after[now + index] ?? ""])
    old += removed
    now += added
  }
  return lines
}

/** How many lines to skip on each side. */
function findNearest(
  before: readonly string[],
  after: readonly string[],
  old: number,
  now: number,
): readonly [removed: number, added: number] {
  const [oldRest, newRest] = [before.length - old, after.length - now]
  for (let distance = 1; distance < oldRest + newRest; distance += 1) {
    for (let removed = Math.min(distance, oldRest); removed >= 0 && distance - removed <= newRest; removed -= 1) {
      const added = distance - removed
      const isEnd = removed === oldRest || added === newRest
      if (!isEnd && before[old + removed] === after[now + added]) return [removed, added]
    }
  }
  return [oldRest, newRest]
}
