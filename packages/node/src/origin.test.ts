import { InvalidRequest } from "@latchkey/core/errors"
import { describe, expect, it } from "vitest"
import type { NodeRequest } from "./node-request.js"
import { findConfiguredOrigin, type OriginOptions, resolveOrigin } from "./origin.js"

function requestWith(headers: NodeRequest["headers"], socket: object = {}): NodeRequest {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  const untouched = { readableDidRead: false, readableEnded: false, destroyed: false }
  const quiet = { pause: () => {}, resume: () => {}, on: () => {}, off: () => {} }
  return { headers, rawHeaders, socket, ...untouched, ...quiet }
}

const originOf = (headers: NodeRequest["headers"], options: OriginOptions = {}, socket: object = {}) =>
  resolveOrigin(requestWith(headers, socket), options)

describe("resolveOrigin", () => {
  it.each([
    "",
    " ",
    "user@evil.test",
    "user@evil.test/x?",
    "app.test:99999",
    "app.test:",
    "app.test:x",
    "app.test evil.test",
    "app.test, evil.test",
    "app.test/path",
    "app.test?query",
    "app.test#fragment",
    "app.test\\evil.test",
    "[::1",
    "[::g]",
    "app.test.",
    ".app.test",
    "app..test",
    "%65vil.test",
    "0x7f.1",
    "2130706433",
    "1.2.3.999",
    "äpp.test",
    `${"a".repeat(300)}.test`,
  ])("refuses the host %j", (host) => {
    expect(() => originOf({ host })).toThrow(InvalidRequest)
    if (host.trim() === "" || host.includes(",")) return // A trusted proxy's: not given, or a list.
    const forwarded = { host: "app.test", "x-forwarded-host": host }
    expect(() => originOf(forwarded, { trustProxy: true })).toThrow(InvalidRequest)
    expect(originOf(forwarded)).toBe("http://app.test")
  })

  it("refuses a request without a host", () => {
    expect(() => originOf({})).toThrow(InvalidRequest)
  })

  it("refuses several Host headers", () => {
    const request = { ...requestWith({ host: "app.test" }), rawHeaders: ["Host", "app.test", "host", "evil.test"] }
    expect(() => resolveOrigin(request, {})).toThrow(InvalidRequest)
  })

  it.each(["javascript", "ftp", "https://evil.test/", "https evil", "http::"])(
    "refuses the protocol %j",
    (protocol) => {
      const headers = { host: "app.test", "x-forwarded-proto": protocol }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(InvalidRequest)
      expect(() => originOf({ host: "app.test" }, { protocol })).toThrow(InvalidRequest)
      expect(originOf(headers)).toBe("http://app.test")
    },
  )

  it("repeats no text of the request in its error", () => {
    expect(() => originOf({ host: "secret@evil.test" })).toThrow(/^(?!.*secret).*$/)
  })

  it.each([
    ["app.test", "http://app.test"],
    ["APP.test:3000", "http://app.test:3000"],
    ["127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["my_service:80", "http://my_service:80"],
    ["xn--pp-uia.test", "http://xn--pp-uia.test"],
  ])("takes the host %j", (host, origin) => {
    expect(originOf({ host })).toBe(origin)
  })

  it("says https when the socket is encrypted", () => {
    expect(originOf({ host: "app.test" }, {}, { encrypted: true })).toBe("https://app.test")
  })

  it("takes the authority of HTTP/2", () => {
    expect(originOf({ ":authority": "app.test:8443" }, {}, { encrypted: true })).toBe("https://app.test:8443")
  })

  it("believes forwarded headers only when proxies are trusted, and then the first of several", () => {
    const headers = {
      host: "inner:3000",
      "x-forwarded-host": "app.test, proxy.test",
      "x-forwarded-proto": "https,http",
    }
    expect(originOf(headers)).toBe("http://inner:3000")
    expect(originOf(headers, { trustProxy: true })).toBe("https://app.test")
  })

  it("falls back to the request's own host and protocol when a trusted proxy says nothing", () => {
    expect(originOf({ host: "app.test", "x-forwarded-host": "" }, { trustProxy: true })).toBe("http://app.test")
  })

  it("prefers what the framework found out, and the configured origin to everything", () => {
    const headers = { host: "inner", "x-forwarded-host": "evil.test" }
    const found = { protocol: "https:", host: "app.test:8443", trustProxy: true }
    expect(originOf(headers, found)).toBe("https://app.test:8443")
    expect(originOf({ host: "junk@" }, { ...found, origin: "https://public.test" })).toBe("https://public.test")
  })
})

describe("findConfiguredOrigin", () => {
  it.each(["", "app.test", "localhost:3000", "javascript:alert(1)", "https://"])("ignores AUTH_URL=%j", (url) => {
    expect(findConfiguredOrigin({ AUTH_URL: url })).toBeUndefined()
  })

  it("takes the origin alone, of AUTH_URL first", () => {
    expect(findConfiguredOrigin({ AUTH_URL: "https://app.test:443/api/auth?x" })).toBe("https://app.test")
    expect(findConfiguredOrigin({ NEXTAUTH_URL: "http://old.test:3000" })).toBe("http://old.test:3000")
    expect(findConfiguredOrigin({ AUTH_URL: "https://new.test", NEXTAUTH_URL: "https://old.test" })).toBe(
      "https://new.test",
    )
  })
})
