import type { Ability, Peer, PeerId, Scene } from "./app.ts"

/** One row of the table. */
export interface Attack {
  readonly id: string
  readonly group: Group
  /** What the attacker tries, or what the user needs. */
  readonly title: string
  /** How it works, for the page of the results: a few sentences. */
  readonly story: string
  /** Where to read about it. */
  readonly source: string
  /** What a library has to offer before the row says anything about it. */
  readonly needs: readonly Ability[]
  /** Runs it against an empty app. */
  run(open: OpenScene, peer: Peer): Promise<Result>
}

export type OpenScene = (options?: {
  session?: "stateless" | "stored"
  hasPassword?: boolean
  picture?: string
}) => Promise<Scene>

export const groups = [
  "Account takeover",
  "Provider",
  "Mailed links",
  "Passwords and second factors",
  "Sessions",
  "Requests",
  "Everyday",
] as const
export type Group = (typeof groups)[number]

/** `gets in`: the attack reached its aim, or the user did not. */
export interface Result {
  readonly outcome: "refused" | "gets in"
  /** What happened, in a few words. */
  readonly detail: string
}

/** `absent`: the library does not do what the row is about. */
export interface Cell {
  readonly outcome: Result["outcome"] | "absent"
  readonly detail: string
}

export interface Row extends Omit<Attack, "run"> {
  readonly cells: Readonly<Record<PeerId, Cell>>
}

export const refused = (detail = "refused"): Result => ({ outcome: "refused", detail })
export const getsIn = (detail: string): Result => ({ outcome: "gets in", detail })

/** The result of an attack that is refused unless a condition holds. */
export const decide = (didWork: boolean, whenItWorked: string, whenRefused?: string): Result =>
  didWork ? getsIn(whenItWorked) : refused(whenRefused)
