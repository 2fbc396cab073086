import type { Verdict } from "./report.ts"

/** How far below a goal a number may fall before CI fails. */
const tolerated = 2

/** The number should be at least the goal. */
export function atLeast(goal: number, measured: number, words: { goal: string; measured: string }): Verdict {
  return { ...words, isReached: measured >= goal, isFarOff: !(measured >= goal / tolerated) }
}

/** The number should be at most the goal. */
export function atMost(goal: number, measured: number, words: { goal: string; measured: string }): Verdict {
  return { ...words, isReached: measured <= goal, isFarOff: !(measured <= goal * tolerated) }
}
