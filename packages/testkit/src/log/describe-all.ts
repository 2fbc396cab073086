const deepest = 12

/**
 * Everything that a thorough log would print of a value: of errors the message, stack, own fields and causes, of
 * objects every member. For searching, not for reading.
 */
export function describeAll(value: unknown): string {
  const seen = new Set<unknown>()
  const lines: string[] = []

  function visit(part: unknown, depth: number): void {
    if (typeof part !== "object" || part === null) {
      lines.push(String(part))
      return
    }
    if (seen.has(part) || depth > deepest) return
    seen.add(part)
    for (const [name, member] of membersOf(part)) {
      lines.push(name)
      visit(member, depth + 1)
    }
  }

  visit(value, 0)
  return lines.join("\n")
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Map || value instanceof Headers || value instanceof URLSearchParams) {
    return [...value].map(([name, member]) => [String(name), member])
  }
  if (value instanceof Set) return [...value].map((member) => ["", member])
  if (value instanceof URL) return [["href", value.href]]
  const hidden = value instanceof Error ? ["message", "stack", "cause", "errors"] : []
  const names = new Set([...hidden.filter((name) => name in value), ...Object.keys(value)])
  return [...names].map((name) => [name, readMember(value, name)])
}

/** A getter may throw: a log would print nothing of it either. */
function readMember(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}
