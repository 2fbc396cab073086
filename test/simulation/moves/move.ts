import { isCodeOfAnyone } from "../factor-rules.js"
import type { Person } from "../people.js"
import type { VisitorTab } from "../visitor-browser.js"
import type { World } from "../world.js"

/** Decisions inside of a move. They are part of the schedule, so that a move does the same when it is replayed. */
export interface Choices {
  /** Chooses one of the values. @throws NothingToDo for an empty list */
  pick<T>(values: readonly T[]): T
}

/** A move that has nothing to work with, such as a link to open. It counts as not made. */
export class NothingToDo extends Error {}

/** Something that an actor can do. */
export interface Move {
  readonly name: string
  readonly by: "victim" | "attacker" | "anyone"
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  /** Whether the setting has what it needs. Default: true. */
  readonly isPossible?: (world: World) => boolean
  /** Whether to choose it much more often now. */
  readonly isUrgent?: (world: World) => boolean
  readonly run: (actor: Actor) => Promise<void>
}

/** Who makes a move, and with what. */
export interface Actor {
  readonly world: World
  readonly person: Person
  readonly choose: Choices
  /** Tells what the move is about to do. */
  say(sentence: string): void
}

export function createChoices(numbers: readonly number[]): Choices {
  let at = 0
  return {
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new NothingToDo("There is nothing to choose from")
      const chosen = (numbers[at] ?? 0) % values.length
      at += 1
      // as: the index is below the length
      return values[chosen] as T
    },
  }
}

/** The first number from `from` on that is no one's code: in millions of guesses, a lucky one would be no finding. */
export function wrongCode({ model }: World, from: number): string {
  let number = from
  while (isCodeOfAnyone(model, String(number))) number += 1
  return String(number)
}

/** How many requests earlier one of two things begins that an actor does at once. */
export const lags: readonly number[] = Array.from({ length: 12 }, (_, lag) => lag)

/** Does something after some requests that change nothing: two things at once alternate, and would always meet at the same place. */
export async function later<T>(lag: number, tab: Pick<VisitorTab, "fetch">, run: () => Promise<T>): Promise<T> {
  for (let count = 0; count < lag; count++) await tab.fetch("/auth/providers")
  return run()
}

/** Waits for several things that an actor does at once. Fails with the first failure, after all have ended. */
export async function together(actions: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(actions)).find(({ status }) => status === "rejected")
  if (failed) throw Reflect.get(failed, "reason")
}
