import type { Person } from "./people.js"

/** How a call that the scheduler holds back goes on. */
export type Outcome =
  /** It happens and is answered. */
  | "ok"
  /** It fails before anything happened. */
  | "fail"
  /** It happens, and the answer is lost. */
  | "lost"
  /** It happens twice; the second answer counts, as with a client that retries. */
  | "twice"
  /** It is never answered. */
  | "silent"

/** A place where a piece of work waits until the scheduler lets it go on. */
export interface Cut {
  /** What is about to happen, such as `store.linkAccount`. */
  readonly label: string
  /** The outcomes besides `ok`. */
  readonly faults: readonly Outcome[]
  /** The instance of the service that waits. Null: a browser. */
  readonly instance: number | null
}

/** A piece of work at a cut. */
export interface Wait {
  readonly cut: Cut
  readonly activity: Activity
  readonly goOn: (outcome: Outcome) => void
}

/** Something that an actor does: one move, with all requests that it causes. */
export interface Activity {
  readonly id: number
  /** Name of the move. */
  readonly name: string
  readonly person: Person
  /** What it waits for, oldest first. */
  readonly waits: Wait[]
  isDone: boolean
  /** The actor left in the middle: the browser asks for nothing more. */
  isLeft: boolean
  /** What the move failed with. */
  failure: unknown
}
