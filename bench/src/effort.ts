/** How much is measured: the medians get steadier with slices, and a run longer. */
export interface Effort {
  readonly slices: number
  readonly sliceMs: number
  readonly warmUpMs: number
  /** Repetitions of what is measured by starting a process. */
  readonly starts: number
  /** True: only the targets that a goal names. */
  readonly isShort: boolean
}

export const fullEffort: Effort = { slices: 21, sliceMs: 50, warmUpMs: 500, starts: 15, isShort: false }
/** One scenario alone: seconds. */
export const singleEffort: Effort = { slices: 13, sliceMs: 50, warmUpMs: 500, starts: 9, isShort: false }
/** For CI: the ratios, roughly. */
export const shortEffort: Effort = { slices: 13, sliceMs: 10, warmUpMs: 150, starts: 5, isShort: true }
