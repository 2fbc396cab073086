import type { IncomingRequest } from "../contract/incoming-request.js"
import type { Visit } from "./visit.js"

/**
 * The visit as a request for the host's code: same URL and headers, the fields as JSON, because the body of the real
 * one has been read.
 */
export function toHostRequest(visit: Visit, fields: Readonly<Record<string, unknown>>): Request {
  const headers = [...visit.request.headers].filter(([name]) => !ofBody.has(name))
  headers.push(["content-type", "application/json"])
  return new Request(visit.url, { method: "POST", headers, body: JSON.stringify(fields) })
}

/** Headers that say how a body was written or sent. */
const ofBody: ReadonlySet<string> = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding"])

/** A request for the host's code that looks at its headers: its body is the service's. */
export function toBodilessRequest({ url, method, headers }: IncomingRequest): Request {
  return new Request(url, { method, headers: [...headers] })
}
