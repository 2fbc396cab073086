import type { Result } from "../attack.ts"
import type { RuleAbility, RulePeerId, RuleScene } from "./app.ts"

/** One row of the table: an attack that a rule of Latchkey is about. */
export interface RuleAttack {
  /** Such as `older-reset-link`. */
  readonly id: string
  /** The rule of Latchkey, such as `PASS-03`: its tests have titles that begin with it. */
  readonly rule: string
  /** What the attacker tries, or what the user needs. */
  readonly title: string
  /** How it works, in a few sentences. */
  readonly story: string
  /** Where to read about it. */
  readonly source: string
  /** What a library has to offer before the row says anything about it. */
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

/** The method of an app, for a row that says that it needs it. */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("The library does not offer this, and its `lacks` does not say so")
  return value
}
