import type { CommandContext } from "./config.js"

/**
 * The width of all output.
 * @internal Exported for its tests.
 */
export const columns = 80

export const symbols = { error: "✖", warning: "!", unchecked: "?", good: "✔", fix: "→" } as const

/** Colors of a stream, or none. */
export interface Paint {
  error(text: string): string
  warning(text: string): string
  good(text: string): string
  strong(text: string): string
  faint(text: string): string
}

/**
 * The colors for the standard output or the standard error. `FORCE_COLOR` and `NO_COLOR` decide, as in Node; else only
 * terminals get colors.
 */
export function createPaint(
  { environment, terminals }: Pick<CommandContext, "environment" | "terminals">,
  stream: "output" | "errors" = "output",
): Paint {
  const isColored = hasColors(environment, terminals?.[stream] === true)
  const color = (code: number, end: number) => (text: string) =>
    isColored ? `\u001b[${code}m${text}\u001b[${end}m` : text
  return {
    error: color(31, 39),
    warning: color(33, 39),
    good: color(32, 39),
    strong: color(1, 22),
    faint: color(2, 22),
  }
}

function hasColors(environment: CommandContext["environment"], isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: kind } = environment
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return isTerminal && !refused && kind !== "dumb"
}

/** Says what a command is waiting for. */
export interface Progress {
  /** Replaces the line. */
  step(text: string): void
  /** Removes the line. Call it before anything else is printed. */
  clear(): void
}

/** A line on the terminal that is replaced at each step. Shows nothing elsewhere: a log of steps helps nobody. */
export function createProgress({ printError, environment, terminals }: CommandContext): Progress {
  if (terminals?.errors !== true || environment["TERM"] === "dumb") return { step: () => {}, clear: () => {} }
  const paint = createPaint({ environment, terminals }, "errors")
  const clear = () => printError("\r\u001b[2K")
  return {
    step(text) {
      clear()
      printError(paint.faint(escapeText(text, columns - 1)))
    },
    clear,
  }
}

/**
 * Text that others wrote, without what a terminal would obey: control characters, escapes, and marks that turn the direction
 * of the line.
 */
export function escapeText(text: string, maxLength = 500): string {
  return text.slice(0, maxLength).replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "?")
}

/**
 * JSON that a terminal can show: `JSON.stringify` leaves the control characters of C1, and marks that turn the
 * direction of the line, as they are.
 */
export function toJsonLine(value: object, indent?: number): string {
  const text = JSON.stringify(value, null, indent).replace(/[^\P{C}\n]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  )
  return `${text}\n`
}

/** Lines of at most 80 columns. A word that is longer has a line of its own. */
export function wrap(text: string, indent: string, first: string = indent): readonly string[] {
  const lines: string[] = []
  let line = first
  for (const word of text.split(" ")) {
    if (line.length + word.length > columns && line.trim() !== "" && line !== first) {
      lines.push(line.trimEnd())
      line = indent
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()]
}

/** A guide by its title and section. */
export function toGuideText([title, section]: readonly [title: string, section?: string]): string {
  return section === undefined ? `"${title}"` : `"${title}", section "${section.replaceAll("`", "")}"`
}
