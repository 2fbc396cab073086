import { InvalidRequest } from "../errors/errors.js"
import type { RequestLimits } from "../types/config.js"
import type { IncomingHeaders } from "../types/http.js"

/** Characters of the largest session cookie in a header, its name included. */
const chunkSize = 4096

/** Maximum number of cookies of one session under any configuration: the number that is searched and cleared. */
export const mostSessionChunks = 20

/** Fills in the default limits. Unknown fields are kept, so that validation can report them. */
export function resolveRequestLimits(given: Partial<RequestLimits> = {}): RequestLimits {
  const { sessionChunks = mostSessionChunks } = given
  return {
    ...given,
    bodyBytes: given.bodyBytes ?? 64 * 1024,
    headerBytes: given.headerBytes ?? leastHeaderBytes({ sessionChunks }) + 16 * 1024,
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

/** @throws InvalidRequest with 414, RFC 9110 section 15.5.15 */
export function assertShortAddress(address: string, { urlLength }: RequestLimits): void {
  if (address.length > urlLength) throw new InvalidRequest(`The URL is longer than ${urlLength} characters`, 414)
}

/** @throws InvalidRequest with 431, RFC 6585 section 5 */
export function assertFewCookies(header: string | null, { headerBytes }: RequestLimits): void {
  if (header !== null && header.length > headerBytes) throw tooLarge(headerBytes)
}

/** @throws InvalidRequest with 431, RFC 6585 section 5 */
export function assertSmallHeaders(headers: IncomingHeaders, { headerBytes }: RequestLimits): void {
  let size = 0
  for (const [name, value] of headers) size += name.length + value.length
  if (size > headerBytes) throw tooLarge(headerBytes)
}

function tooLarge(headerBytes: number): InvalidRequest {
  return new InvalidRequest(`The headers are larger than ${headerBytes} bytes`, 431)
}

/** @throws InvalidRequest with 400 */
export function assertFewPairs({ search }: URL, { queryPairs }: RequestLimits): void {
  let pairs = 1
  for (let at = search.indexOf("&"); at !== -1; at = search.indexOf("&", at + 1)) pairs++
  if (pairs > queryPairs) throw new InvalidRequest(`The query has more than ${queryPairs} parameters`)
}
