import type { IncomingRequest } from "../contract/incoming-request.js"
import type { Visit } from "./visit.js"

/**
 * The visit as a request for the host's code: same URL and headers, the fields as JSON, because the body of the real
 * one has been read.
 */
export function toHostRequest(visit: Visit, fields: Readonly<Record<string, unknown>>): Request {
  const headers = new Headers([...visit.request.headers])
  headers.set("content-type", "application/json")
  headers.delete("content-length")
  headers.delete("content-encoding")
  headers.delete("transfer-encoding")
  return new Request(visit.url, { method: "POST", headers, body: JSON.stringify(fields) })
}

/** A request for the host's code that looks at its headers: its body is the service's. */
export function toBodilessRequest({ url, method, headers }: IncomingRequest): Request {
  return new Request(url, { method, headers: [...headers] })
}
