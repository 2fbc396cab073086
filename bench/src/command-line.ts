import { type Effort, fullEffort, shortEffort, singleEffort } from "./effort.ts"
import type { Scenario } from "./scenario.ts"

/** What one run does. */
export interface Run {
  readonly scenarios: readonly Scenario[]
  readonly effort: Effort
  /** Instead of measuring all targets: where our own time goes. */
  readonly isProfile: boolean
  /** A run of everything, at length, is written down. */
  readonly isWritten: boolean
}

/** Scenarios that CI leaves out: they take long, or ask a registry. */
const leftOutOfShort: ReadonlySet<string> = new Set(["install", "types", "heap"])

const flags: ReadonlySet<string> = new Set(["--short", "--profile"])

/**
 * `[--short | --profile] [scenario...]`.
 * @throws for a name that is no scenario's
 */
export function parseCommandLine(args: readonly string[], all: readonly Scenario[]): Run {
  const names = args.filter((arg) => !flags.has(arg))
  const unknown = names.filter((name) => !all.some(({ id }) => id === name))
  if (unknown.length > 0) {
    throw new Error(`There is no scenario ${unknown.join(", ")}. There are: ${all.map(({ id }) => id).join(", ")}`)
  }
  const isShort = args.includes("--short")
  const isProfile = args.includes("--profile")
  const isAll = names.length === 0
  const chosen = isAll
    ? all.filter(({ id }) => !isShort || !leftOutOfShort.has(id))
    : all.filter(({ id }) => names.includes(id))
  const effort = isShort ? shortEffort : isAll ? fullEffort : singleEffort
  return { scenarios: chosen, effort, isProfile, isWritten: isAll && !isShort && !isProfile }
}
