import type { RequestLimits } from "../contract/request-limits.js"
import { leastHeaderBytes, mostSessionChunks } from "../web/request-limits.js"

type Bounds = readonly [least: number, most: number]

const mebi = 1024 * 1024

const bounds: Readonly<Record<keyof RequestLimits, Bounds>> = {
  bodyBytes: [1024, 16 * mebi],
  headerBytes: [4096, mebi],
  urlLength: [1024, mebi],
  queryPairs: [10, 10_000],
  jsonDepth: [4, 1000],
  sessionChunks: [1, mostSessionChunks],
  flows: [1, 20],
  passkeyChallenges: [1, 10],
}

/** What of `requestLimits` cannot work. */
export function findRequestLimitsMistake(limits: RequestLimits): string | null {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(bounds, name)) {
      return `requestLimits.${name}: there is no such limit, only ${Object.keys(bounds).join(", ")}`
    }
    // A key of the table, as just asked.
    const [least, most] = bounds[name as keyof RequestLimits]
    if (!(Number.isInteger(value) && value >= least && value <= most)) {
      return `requestLimits.${name}: must be a whole number from ${least} to ${most}`
    }
  }
  return findTooSmallHeaders(limits)
}

function findTooSmallHeaders(limits: RequestLimits): string | null {
  const least = leastHeaderBytes(limits)
  if (limits.headerBytes >= least) return null
  return `requestLimits.headerBytes: must be at least ${least}, or sessions that take ${limits.sessionChunks} cookies could not be read. Lower requestLimits.sessionChunks as well`
}
