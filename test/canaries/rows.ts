import type { FailureReason } from "@latchkey/core/diagnosis"
import type { Stage, StageOptions, Strategy } from "./stage.js"

/** A flow that fails. */
export interface Row {
  /** The failure. What comes before it succeeds. */
  readonly flow: (stage: Stage) => Promise<unknown>
  /** The reason that `explain` tells of the last failure. Null: it is refused without a failure in the log, for `why`. */
  readonly reason: FailureReason | null
  /** Why none of the reasons of the union fits, or why nothing is logged. */
  readonly why?: string
  readonly options?: StageOptions
  /** Default: both. */
  readonly only?: Strategy
}

/** The failing flows of a part of the service, by what goes wrong. */
export type Rows = Readonly<Record<string, Row>>
