import type { Answer } from "@latchkey/core"
import type { NodeResponse } from "./node-response.js"

/**
 * Writes the service's answer to a response of node:http (or HTTP/2). Cookies are added to those that were set before;
 * other headers replace those of the same name. The body is not written for `HEAD`.
 */
export function sendAnswer({ status, headers, body }: Answer, target: NodeResponse): void {
  if (target.headersSent || target.destroyed) return
  target.statusCode = status
  for (const [name, value] of headers) {
    if (name === "set-cookie") target.appendHeader(name, value)
    else target.setHeader(name, value)
  }
  if (body === null || target.req.method === "HEAD") target.end()
  else target.end(body)
}
