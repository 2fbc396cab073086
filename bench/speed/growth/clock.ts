import { performance } from "node:perf_hooks"
import { readWaitedUs } from "../rate/slice.ts"

/** Returns a function that tells the milliseconds since, without those in which this thread waited for a processor. */
export function startClock(): () => number {
  const waitedBeforeUs = readWaitedUs()
  const startedAt = performance.now()
  return () => performance.now() - startedAt - (readWaitedUs() - waitedBeforeUs) / 1000
}
