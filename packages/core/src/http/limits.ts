import type { Optional } from "../types/basics.js"
import type { RequestLimits } from "../types/config.js"
import { defaultSessionChunks, mostSessionChunks } from "./cookies.js"

/** Characters of the largest session cookie in a header, its name included. */
const chunkSize = 4096

/** Characters that Node accepts, without the headers of the browser, the cookies of the app, and the URL of a callback. */
const defaultBudget = 14 * 1024
/** Characters of a session within this. */
const defaultSession = 10 * 1024

/** Characters that all cookies of the service may have in a request. More if the servers accept larger sessions. */
export function findCookieBudget({ sessionChunks }: Pick<RequestLimits, "sessionChunks">): number {
  const isRaised = sessionChunks > defaultSessionChunks
  return isRaised ? defaultBudget - defaultSession + sessionChunks * chunkSize : defaultBudget
}

/** Fills in the default limits. Unknown fields are kept, so that validation can report them. */
export function resolveRequestLimits(given: Optional<RequestLimits> = {}): RequestLimits {
  const { sessionChunks = defaultSessionChunks } = given
  return {
    ...given,
    bodyBytes: given.bodyBytes ?? 64 * 1024,
    headerBytes:
      given.headerBytes ?? leastHeaderBytes({ sessionChunks: given.sessionChunks ?? mostSessionChunks }) + 16 * 1024,
    urlLength: given.urlLength ?? 16 * 1024,
    queryPairs: given.queryPairs ?? 100,
    jsonDepth: given.jsonDepth ?? 32,
    sessionChunks,
    flows: given.flows ?? 5,
    passkeyChallenges: given.passkeyChallenges ?? 3,
  }
}

/** The smallest valid `headerBytes`: the largest session cookies must fit. */
export function leastHeaderBytes({ sessionChunks }: Pick<RequestLimits, "sessionChunks">): number {
  return sessionChunks * chunkSize
}

/** The limits of a configuration without `requestLimits`. */
export const defaultRequestLimits: RequestLimits = resolveRequestLimits()
