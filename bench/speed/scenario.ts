import assert from "node:assert/strict"
import type { Report } from "./report/report.ts"

type Awaitable<T> = T | Promise<T>

/** A library, or the limit. The `-edge` targets run without the `node` condition, as an edge runtime would. */
export type TargetId =
  | "latchkey"
  | "auth-core"
  | "better-auth"
  | "iron-session"
  | "limit"
  | "latchkey-one-config"
  | "latchkey-tracked"
  | "latchkey-tracked-due"
  | "latchkey-edge"
  | "auth-core-edge"

export const inFlightCounts = [1, 32] as const
export type InFlight = (typeof inFlightCounts)[number]

/** How much is measured: more slices give steadier medians and a longer run. */
export interface Effort {
  readonly slices: number
  readonly sliceMs: number
  /** For each target, before its first slice: V8 compiles a long path for seconds. */
  readonly warmUpMs: number
  /** Repetitions of a measurement that starts a process. */
  readonly processes: number
  /** Measure only the targets that a goal names. */
  readonly isShort: boolean
}

/** A target, set up for one scenario. */
export interface Subject<Input = unknown, Outcome = unknown> {
  /** Makes the inputs of the next operations. Not timed: a host has its `Request` already. */
  prepare(count: number): Awaitable<readonly Input[]>
  /** One operation, the only part that is timed. */
  run(input: Input): Awaitable<Outcome>
  /** Cookies that the outcome must set, by the target's own names. */
  readonly expectedCookies?: readonly string[]
  /** Set when the target answers with a status other than the contract's. */
  readonly expectedStatus?: number
}

/** Sets a target up for each scenario that it takes part in, by the scenario's id. */
export type Target = Readonly<Partial<Record<string, () => Promise<Subject>>>>

/** Operations counted for a fixed time. */
export interface RateScenario<Outcome = unknown> {
  readonly kind: "rate"
  readonly id: string
  readonly title: string
  readonly targets: readonly TargetId[]
  readonly goals: readonly RateGoal[]
  /** How the targets' work differs, and what the limit consists of. */
  readonly notes: readonly string[]
  /** Throws unless the outcome shows that the target did the work. */
  assertDone(outcome: Outcome, subject: Subject): Awaitable<void>
}

/** Anything that is not a rate, for example a size or a start-up time. */
export interface Measurement {
  readonly kind: "measurement"
  readonly id: string
  readonly title: string
  measure(effort: Effort): Promise<Report>
}

export type Scenario = RateScenario | Measurement

/** `faster`: at least `times` as fast as the other target. `within`: at most `times` the other target's time. */
export interface RateGoal {
  readonly kind: "faster" | "within"
  readonly than: TargetId
  readonly inFlight: InFlight
  readonly times: number
  /** The usual result where the goal is not reached yet. Default: the goal. */
  readonly usual?: number
  /** The target that has the goal. Default: `latchkey`. */
  readonly who?: TargetId
}

/** `one` and `many`: times as fast as `@auth/core` with 1 and 32 in flight. `limit`: times the limit, with both. */
export interface RateTimes {
  readonly one?: number
  readonly many?: number
  readonly limit?: number
}

/** @param usual The usual results where goals are not reached yet. */
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

/** Asserts the status, and that every expected cookie is set to a value that is not empty. */
export function assertResponse(response: Response, status: number, { expectedCookies = [] }: Subject): void {
  assert.equal(response.status, status)
  const cookies = response.headers.getSetCookie()
  for (const name of expectedCookies) {
    const isSet = cookies.some((cookie) => cookie.startsWith(name) && /^[^=]+=[^;]{16,}/.test(cookie))
    assert.ok(isSet, `expected the cookie ${name}, got ${cookies.map((cookie) => cookie.split("=", 1)[0])}`)
  }
}
