import { AuthError } from "../errors/auth-error.js"
import type { LoggerInstance } from "../types/logger.js"

/** What the log is where the host gives none. */
export const consoleLogger: Required<Omit<LoggerInstance, "record">> = {
  error(error) {
    console.error(`[auth][error] ${error.name}: ${toOneLine(error.message)}${toReference(error)}`)
    for (const line of describeCause(error)) console.error(line)
  },
  warn(code) {
    console.warn(`[auth][warn][${code}]`)
  },
  debug(message, metadata) {
    console.log(`[auth][debug]: ${toOneLine(message)}`, metadata ?? "")
  },
}

function toReference(error: Error): string {
  return error instanceof AuthError ? ` (reference ${error.reference})` : ""
}

const maxDepth = 5
/** Characters. */
const maxStackLength = 4_000
/** Characters. */
const maxFieldLength = 200

/** What stands behind an error, as lines for a log: the stack of each cause, then its own text fields. */
export function describeCause(error: Error): readonly string[] {
  const lines: string[] = []
  const seen = new Set<unknown>([error])
  let current = error.cause
  while (isObject(current) && !seen.has(current) && lines.length < maxDepth) {
    seen.add(current)
    const details = describeFields(current)
    if (details !== "") lines.push(`  [cause] ${details}`)
    const inner = current instanceof Error ? current : current["err"]
    if (inner instanceof Error) lines.push(`  [cause] ${describeStack(inner)}`)
    current = inner instanceof Error ? inner.cause : undefined
  }
  return lines
}

/** The stack below a message of one line, each further line set in: none of them can pass for a record of its own. */
function describeStack({ message, stack = message }: Error): string {
  const text = message === "" ? stack : stack.replace(message, () => toOneLine(message))
  return text.slice(0, maxStackLength).split("\n").map(toOneLine).join("\n    ")
}

/** Text and numbers only: objects of the host may hold anything, secrets among them. */
function describeFields(cause: Readonly<Record<string, unknown>>): string {
  if (cause instanceof Error) return ""
  return Object.entries(cause)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => `${toOneLine(name)}: ${toOneLine(String(value).slice(0, maxFieldLength))}`)
    .join(", ")
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}

/** Text as one line of at most 2,000 characters: what came from outside must not be able to write a line of its own. */
export function toOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return text.slice(0, 2_000).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
