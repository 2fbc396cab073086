import { UntrustedHost } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import type { NodeRequest } from "./node-request.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"

function requestWith(headers: NodeRequest["headers"], socket: object = {}): NodeRequest {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  const untouched = { readableDidRead: false, readableEnded: false, destroyed: false }
  const quiet = { pause: () => {}, resume: () => {}, on: () => {}, off: () => {} }
  return { headers, rawHeaders, socket, ...untouched, ...quiet }
}

const originOf = (headers: NodeRequest["headers"], options: OriginOptions = {}, socket: object = {}) =>
  resolveOrigin(requestWith(headers, socket), options)

describe("resolveOrigin", () => {
  it("HOST-05: refuses several Host headers", () => {
    const request = { ...requestWith({ host: "app.test" }), rawHeaders: ["Host", "app.test", "host", "evil.test"] }
    expect(() => resolveOrigin(request, {})).toThrow(UntrustedHost)
  })

  it.each(["user@evil.test/x?", "app.test:99999", "app.test evil.test", "[::1"])(
    "HOST-05: refuses the host %j, of the request or of a trusted proxy",
    (host) => {
      const forwarded = { host: "app.test", "x-forwarded-host": host }
      expect(() => originOf({ host })).toThrow(UntrustedHost)
      expect(() => originOf({ ":authority": host })).toThrow(UntrustedHost)
      expect(() => originOf(forwarded, { trustProxy: true })).toThrow(UntrustedHost)
      expect(originOf(forwarded)).toBe("http://app.test")
    },
  )

  it.each(["javascript", "ftp", "https://evil.test/"])(
    "HOST-04: refuses the protocol %j of a trusted proxy",
    (protocol) => {
      const headers = { host: "app.test", "x-forwarded-proto": protocol }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(UntrustedHost)
      expect(originOf(headers)).toBe("http://app.test")
    },
  )

  it("HOST-02: believes forwarded headers only when proxies are trusted, and then the outermost protocol", () => {
    const headers = {
      host: "inner:3000",
      "x-forwarded-host": "app.test",
      "x-forwarded-proto": "https,http",
    }
    expect(originOf(headers)).toBe("http://inner:3000")
    expect(originOf(headers, { trustProxy: true })).toBe("https://app.test")
  })

  it("says https when the socket is encrypted", () => {
    expect(originOf({ host: "app.test" }, {}, { encrypted: true })).toBe("https://app.test")
  })

  it("takes the authority of HTTP/2", () => {
    expect(originOf({ ":authority": "app.test:8443" }, {}, { encrypted: true })).toBe("https://app.test:8443")
  })

  it("prefers what the framework found out, and the configured origin to everything", () => {
    const headers = { host: "inner", "x-forwarded-host": "evil.test" }
    const found = { protocol: "https:", host: "app.test:8443", trustProxy: true }
    expect(originOf(headers, found)).toBe("https://app.test:8443")
    expect(originOf({ host: "junk@" }, { ...found, origin: "https://public.test" })).toBe("https://public.test")
  })
})
