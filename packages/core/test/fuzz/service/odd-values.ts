/** Values that JSON cannot express, by the names that inputs use for them. */
const oddValues: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  nan: () => Number.NaN,
  infinite: () => Number.POSITIVE_INFINITY,
  bigint: () => 10n,
  symbol: () => Symbol("odd"),
  function: () => () => "odd",
  rejects: () => Promise.reject(new Error("odd rejection")).catch(() => undefined),
  date: () => new Date(),
  past: () => new Date(0),
  future: () => new Date(4e12),
  "invalid-date": () => new Date(Number.NaN),
  bytes: () => new Uint8Array(8),
  map: () => new Map([["a", 1]]),
  bare: () => Object.create(null),
  cycle: () => {
    const loop: Record<string, unknown> = {}
    loop["self"] = loop
    return loop
  },
  long: () => "x".repeat(100_000),
  deep: () => JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`),
  getter: () => ({
    get name(): never {
      throw new Error("odd getter")
    },
  }),
  frozen: () => Object.freeze({ id: "frozen" }),
}

export const oddNames: readonly string[] = Object.keys(oddValues)

/** Lines for a dictionary: every path with every value. */
export function linesOf(paths: readonly string[], values: readonly string[] = []): readonly string[] {
  const written = [...values, ...Object.keys(oddValues).map((name) => `@${name}`)]
  return paths.flatMap((path) => written.map((value) => `\n${path}=${value}\n`))
}

/** One line of an input: a path, and the value to put there. */
export interface Change {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Lines of the form `a.b=<JSON>` or `a.b=@<name>`. Other lines are ignored. */
export function readChanges(text: string): readonly Change[] {
  return text.split("\n").slice(0, 12).flatMap(readChange)
}

function readChange(line: string): readonly Change[] {
  const equals = line.indexOf("=")
  if (equals < 1) return []
  const path = line.slice(0, equals).split(".")
  const written = line.slice(equals + 1)
  if (written.startsWith("@")) {
    const odd = oddValues[written.slice(1)]
    return odd ? [{ path, value: odd() }] : []
  }
  try {
    return [{ path, value: JSON.parse(written) as unknown }]
  } catch {
    return []
  }
}

/** Empty if a member cannot be read. */
function copyOf(original: unknown): Record<string, unknown> {
  try {
    return { ...(typeof original === "object" ? original : {}) }
  } catch {
    return {}
  }
}

/** A copy with the change. The original and all prototypes stay untouched. */
export function withChange(original: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (Array.isArray(original))
    return original.map((item, index) => (String(index) === name ? withChange(item, rest, value) : item))
  const copy = copyOf(original)
  const changed = withChange(Object.hasOwn(copy, name) ? copy[name] : undefined, rest, value)
  Object.defineProperty(copy, name, { value: changed, enumerable: true, configurable: true, writable: true })
  return copy
}
