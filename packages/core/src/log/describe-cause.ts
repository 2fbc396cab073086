const maxDepth = 5
const maxLength = 4_000

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
    if (inner instanceof Error) lines.push(`  [cause] ${(inner.stack ?? inner.message).slice(0, maxLength)}`)
    current = inner instanceof Error ? inner.cause : undefined
  }
  return lines
}

/** Text and numbers only: objects of the host may hold anything, secrets among them. */
function describeFields(cause: Readonly<Record<string, unknown>>): string {
  if (cause instanceof Error) return ""
  return Object.entries(cause)
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => `${name}: ${String(value).slice(0, 200)}`)
    .join(", ")
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
