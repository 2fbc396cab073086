import type { IncomingHttpHeaders } from "node:http"

/**
 * Headers as Node holds them, as the Web's `Headers`. Pseudo-headers of HTTP/2 are left out; cookies that HTTP/2 sends
 * one by one are one header here, as RFC 9113 section 8.2.3 wants it.
 */
export function fromNodeHeaders(headers: IncomingHttpHeaders): Headers {
  const converted = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue
    if (typeof value === "string") converted.set(name, value)
    else for (const one of value) converted.append(name, one)
  }
  return converted
}
