import type { Setting } from "./setting.js"

/** A change of one source file. */
interface Edit {
  /** Below packages/core/src. */
  readonly file: string
  /** Must occur exactly once, so that a mutant that no longer fits fails instead of testing nothing. */
  readonly find: string
  readonly replace: string
}

/** A broken service. The simulation has to notice it. */
export interface Mutant {
  readonly name: string
  readonly edits: readonly Edit[]
  /** What all worlds have in which it is looked for, such as its capability. Default: nothing that is not drawn. */
  readonly setting?: Partial<Setting>
  /** Worlds within which it must be found, starting from seed 1. */
  readonly within: number
}
