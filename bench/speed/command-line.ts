import type { Effort, Scenario } from "./scenario.ts"

/** What one invocation does. */
export interface Run {
  readonly scenarios: readonly Scenario[]
  readonly effort: Effort
  /** Profile our own target instead of measuring all targets. */
  readonly isProfile: boolean
  /** Write `RESULTS.md`: only a full run of all scenarios does. */
  readonly writesResults: boolean
  /** Measures a scenario once more if it was far below a goal. Undefined: the first report counts. */
  readonly repeatEffort: Effort | undefined
}

const fullEffort: Effort = { slices: 21, sliceMs: 50, warmUpMs: 4000, processes: 15, isShort: false }
/** Named scenarios take seconds each. */
const namedEffort: Effort = { slices: 13, sliceMs: 50, warmUpMs: 2000, processes: 9, isShort: false }
/** For CI: enough for a rough ratio. */
const shortEffort: Effort = { slices: 13, sliceMs: 10, warmUpMs: 150, processes: 5, isShort: true }
/** For CI, where another process may disturb slices as short as those. */
const repeatEffort: Effort = { ...namedEffort, isShort: true }

/** Too slow for CI, or dependent on a registry or on other runtimes. */
const skippedInShort: ReadonlySet<string> = new Set([
  "install",
  "types",
  "heap",
  "growth",
  "limiter",
  "http",
  "next",
  "cold",
  "import",
  "move",
])

const flags: ReadonlySet<string> = new Set(["--short", "--profile"])

/**
 * Parses `[--short | --profile] [scenario...]`.
 * @throws for an unknown scenario
 */
export function parseCommandLine(args: readonly string[], all: readonly Scenario[]): Run {
  const names = args.filter((arg) => !flags.has(arg))
  const unknown = names.filter((name) => !all.some(({ id }) => id === name))
  if (unknown.length > 0) {
    const known = all.map(({ id }) => id).join(", ")
    throw new Error(`Unknown scenario: ${unknown.join(", ")}. Use one of: ${known}`)
  }
  const isShort = args.includes("--short")
  const isProfile = args.includes("--profile")
  const isAll = names.length === 0
  const scenarios = isAll
    ? all.filter(({ id }) => !isShort || !skippedInShort.has(id))
    : all.filter(({ id }) => names.includes(id))
  const effort = isShort ? shortEffort : isAll ? fullEffort : namedEffort
  return {
    scenarios,
    effort,
    isProfile,
    writesResults: isAll && !isShort && !isProfile,
    repeatEffort: isShort ? repeatEffort : undefined,
  }
}
