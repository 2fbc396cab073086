import type { Verdict } from "./report.ts"

/** How far below a goal a number may fall before CI fails. */
const tolerated = 2

interface Words {
  readonly goal: string
  readonly measured: string
}

/**
 * The number should be at least the goal.
 * @param usual What is reached where the goal is not: a fall is judged from there.
 */
export function atLeast(goal: number, measured: number, words: Words, usual: number = goal): Verdict {
  return { ...words, isReached: measured >= goal, isFarOff: !(measured >= usual / tolerated) }
}

/**
 * The number should be at most the goal.
 * @param usual What is reached where the goal is not: a fall is judged from there.
 */
export function atMost(goal: number, measured: number, words: Words, usual: number = goal): Verdict {
  return { ...words, isReached: measured <= goal, isFarOff: !(measured <= usual * tolerated) }
}
