import { readFileSync } from "node:fs"
import { platform } from "node:os"

/**
 * Microseconds that this process's main thread was ready to run while other threads had the processors. Zero where the
 * system does not tell; Linux does.
 */
export function readWaitedUs(): number {
  if (platform() !== "linux") return 0
  try {
    return parseWaitedUs(readFileSync("/proc/self/schedstat", "utf8"))
  } catch {
    // A kernel without these statistics: nothing is taken off.
    return 0
  }
}

/** Nanoseconds on a processor, nanoseconds waiting for one, number of turns. */
export function parseWaitedUs(schedstat: string): number {
  const waitedNs = Number(schedstat.split(" ")[1])
  return Number.isFinite(waitedNs) ? waitedNs / 1000 : 0
}
