import type { IncomingHttpHeaders } from "node:http"
import type { IncomingHeaders, IncomingRequest } from "@latchkey/core"
import type { NodeRequest } from "./node-request.js"
import { toRequestBody } from "./request-body.js"
import { toRequestLine, transferHeaders, type WebRequestOptions } from "./web-request.js"

/**
 * A request of node:http (or HTTP/2) as the service reads it, without a `Request` in between.
 * @throws InvalidRequest for a target or method that is none
 * @throws UntrustedHost for a host that is none
 */
export function toIncomingRequest(request: NodeRequest, options: WebRequestOptions): IncomingRequest {
  const line = toRequestLine(request, options)
  const body = toRequestBody(request, options)
  if (body.kind === "none") return { ...line, headers: new NodeHeaders(request.headers), body: null }
  const left = body.kind === "parsed" ? withoutTransfer(request.headers) : request.headers
  return { ...line, headers: new NodeHeaders(left), body: body.content }
}

/** Node's headers as they are. Pseudo-headers of HTTP/2 are none. */
class NodeHeaders implements IncomingHeaders {
  readonly #headers: IncomingHttpHeaders

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name]
    return typeof value === "string" ? value : (value?.join(", ") ?? null)
  }

  has(name: string): boolean {
    return this.#headers[name] !== undefined
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const name of Object.keys(this.#headers)) {
      const value = name.startsWith(":") ? null : this.get(name)
      if (value !== null) yield [name, value]
    }
  }
}

function withoutTransfer(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const left = { ...headers }
  for (const name of transferHeaders) delete left[name]
  return left
}
