import type { Result } from "../attack.ts"
import type { RuleAbility, RulePeerId, RuleScene } from "./app.ts"

/** One row of the table: an attack that a rule of Latchkey covers. */
export interface RuleAttack {
  /** Such as `older-reset-link`. */
  readonly id: string
  /** The rule of Latchkey, such as `PASS-03`. The titles of its tests begin with it. */
  readonly rule: string
  /** What the attacker tries, or what the user needs. */
  readonly title: string
  /** How it works, in a few sentences. */
  readonly story: string
  /** Where to read about it. */
  readonly source: string
  /** What a library has to offer for the attack to run. */
  readonly needs: readonly RuleAbility[]
  /** Runs it against an empty app. */
  run(open: () => Promise<RuleScene>): Promise<Result>
}

export interface RuleCell {
  readonly outcome: Result["outcome"] | "absent"
  readonly detail: string
}

export interface RuleRow extends Omit<RuleAttack, "run"> {
  readonly cells: Readonly<Record<RulePeerId, RuleCell>>
}

/** A method that only some apps have. The row that calls it lists it in `needs`. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("The library has no such method. List it in `lacks`")
  return value
}
