import type { Effort } from "./effort.ts"
import type { Report } from "./report/report.ts"

type Awaitable<T> = T | Promise<T>

/** What is measured. `latchkey-edge` and `auth-core-edge` run without the `node` condition, as an edge runtime would. */
export type TargetId =
  | "latchkey"
  | "auth-core"
  | "better-auth"
  | "iron-session"
  | "limit"
  | "latchkey-edge"
  | "auth-core-edge"

export const inFlightCounts = [1, 32] as const
export type InFlight = (typeof inFlightCounts)[number]

/** A target made ready for one scenario. */
export interface Subject<Input = unknown, Outcome = unknown> {
  /** Makes the inputs of the next operations; not timed, so that what a host has anyway is not counted. */
  prepare(count: number): Awaitable<readonly Input[]>
  /** One operation: the only thing that is timed. */
  act(input: Input): Awaitable<Outcome>
  /** Names of cookies that the outcome must set; what each target calls them. */
  readonly sets?: readonly string[]
  /** Where the target answers with another status than the contract's. */
  readonly status?: number
}

/** Operations that are counted for a while. */
export interface RateScenario<Outcome = unknown> {
  readonly kind: "rate"
  readonly id: string
  readonly title: string
  readonly targets: readonly TargetId[]
  readonly goals: readonly RateGoal[]
  /** What differs between the targets' work, or what the limit consists of. */
  readonly notes: readonly string[]
  /** Throws unless the outcome shows that the target did the work. */
  assertDone(outcome: Outcome, subject: Subject): Awaitable<void>
}

/** Something that is measured in a way of its own. */
export interface Measurement {
  readonly kind: "measurement"
  readonly id: string
  readonly title: string
  measure(effort: Effort): Promise<Report>
}

export type Scenario = RateScenario | Measurement

/** `faster`: at least so many times as fast as the other target. `within`: at most so many times the other's time. */
export interface RateGoal {
  readonly kind: "faster" | "within"
  readonly than: TargetId
  readonly inFlight: InFlight
  readonly times: number
  /** What is reached where the goal is not. Default: the goal. */
  readonly usual?: number
  /** Who is held to the goal. Default: `latchkey`. */
  readonly who?: TargetId
}

/** Columns two and three of the table of goals; `limit` is held at both numbers in flight. */
export interface RateTimes {
  readonly one?: number
  readonly many?: number
  readonly limit?: number
}

/** @param usual What is reached where a goal is not. */
export function rateGoals(times: RateTimes, usual: RateTimes = {}): readonly RateGoal[] {
  return [
    ...toGoals({ kind: "faster", than: "auth-core", inFlight: 1 }, times.one, usual.one),
    ...toGoals({ kind: "faster", than: "auth-core", inFlight: 32 }, times.many, usual.many),
    ...inFlightCounts.flatMap((inFlight) =>
      toGoals({ kind: "within", than: "limit", inFlight }, times.limit, usual.limit),
    ),
  ]
}

function toGoals(
  goal: Pick<RateGoal, "kind" | "than" | "inFlight">,
  times: number | undefined,
  usual: number | undefined,
): readonly RateGoal[] {
  return times === undefined ? [] : [{ ...goal, times, ...(usual !== undefined && { usual }) }]
}
