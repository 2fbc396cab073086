/** What one scenario found. */
export interface Report {
  readonly id: string
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly verdicts: readonly Verdict[]
  readonly notes: readonly string[]
}

/** One row of the table of goals, held against what was measured. */
export interface Verdict {
  readonly goal: string
  readonly measured: string
  readonly isReached: boolean
  /** Worse than half of the goal, which no noise of a machine explains. */
  readonly isFarOff: boolean
}
