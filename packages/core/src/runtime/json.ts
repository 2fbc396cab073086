/** Whether the value is an object with named members: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * Parses JSON. Undefined if the text is not JSON: the parser's own error would quote the text, which may be secret.
 *
 * Members that code could merge into a prototype are left out at every depth: `__proto__`, and `constructor` or
 * `prototype` if it is an object.
 */
export function parseJson(text: string): unknown {
  try {
    // A reviver is slow, so it is used only if the text may need it. A name may contain escapes.
    const isPlain = !text.includes("proto") && !text.includes("constructor") && !text.includes("\\u")
    return isPlain ? JSON.parse(text) : JSON.parse(text, withoutPrototypes)
  } catch {
    return undefined
  }
}

function withoutPrototypes(name: string, value: unknown): unknown {
  if (name === "__proto__") return undefined
  const isReachable = (name === "constructor" || name === "prototype") && isRecord(value)
  return isReachable ? undefined : value
}
