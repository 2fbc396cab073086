import type { FailureFacts } from "../errors/failure-reason.js"

/** What happened, in the words of an operator, and what mends it. */
export interface Story {
  readonly sentences: readonly string[]
  /** The lines to change, the likeliest first. Empty if there is nothing to mend. */
  readonly fixes: readonly string[]
  /** The title of the guide that says more, and its section. */
  readonly guide: readonly [title: string, section?: string]
}

/** Tells a failure from its facts. Facts may be missing: an older version wrote the log. */
export type TellStory = (facts: FailureFacts) => Story

/** The text of a fact, or a general word. */
export function textOf(facts: FailureFacts, name: string, fallback: string): string {
  const fact = facts[name]
  return fact === undefined || fact === "" ? fallback : String(fact)
}

/** A number of seconds in words: "4 seconds", "21 minutes", "3 hours". */
export function durationOf(facts: FailureFacts, name: string): string | null {
  const seconds = Number(facts[name])
  if (!Number.isFinite(seconds) || facts[name] === undefined) return null
  const [size, unit] = seconds < 120 ? [1, "second"] : seconds < 7200 ? [60, "minute"] : [3600, "hour"]
  const count = Math.max(0, Math.round(seconds / Number(size)))
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** "The sign-in began 4 seconds earlier." */
export function tellStart(facts: FailureFacts): readonly string[] {
  const age = durationOf(facts, "ageSeconds")
  return [age === null ? "A sign-in had begun." : `The sign-in began ${age} earlier.`]
}

/** How many cookies of other sign-ins the browser sent. */
export function tellOthers(facts: FailureFacts): readonly string[] {
  const { otherFlows } = facts
  if (typeof otherFlows !== "number") return []
  if (otherFlows === 0) return ["The browser sent the cookies of no other sign-in either."]
  return [`The browser sent the cookies of ${otherFlows} other sign-in${otherFlows === 1 ? "" : "s"}.`]
}
