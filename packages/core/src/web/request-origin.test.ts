import { describe, expect, it } from "vitest"
import { type OriginOptions, resolveOrigin } from "./request-origin.js"

const originOf = (headers: Record<string, string>, options: OriginOptions = {}) =>
  resolveOrigin(new Headers(headers), { socketProtocol: "http", ...options })

const untrusted = expect.objectContaining({ type: "UntrustedHost" })

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
    ".app.test",
    "app..test",
    "%65vil.test",
    "0x7f.1",
    "2130706433",
    "1.2.3.999",
    "äpp.test",
    `${"a".repeat(300)}.test`,
  ])("HOST-05: refuses the host %j", (host) => {
    expect(() => originOf({ host })).toThrow(untrusted)
    expect(() => originOf({ host: "app.test" }, { host })).toThrow(untrusted)
    if (host.trim() === "" || host.includes(",")) return // A trusted proxy's: not given, or a list.
    const forwarded = { host: "app.test", "x-forwarded-host": host }
    expect(() => originOf(forwarded, { trustProxy: true })).toThrow(untrusted)
    expect(originOf(forwarded)).toBe("http://app.test")
  })

  it("HOST-05: refuses a request without a host", () => {
    expect(() => originOf({})).toThrow(untrusted)
  })

  it.each(["javascript", "ftp", "https://evil.test/", "https evil", "http::"])(
    "HOST-04: refuses the protocol %j",
    (protocol) => {
      const headers = { host: "app.test", "x-forwarded-proto": protocol }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(untrusted)
      expect(() => originOf({ host: "app.test" }, { protocol })).toThrow(untrusted)
      expect(originOf(headers)).toBe("http://app.test")
    },
  )

  it.each([
    [{ host: "evil.test/x" }, {}, '"evil.test?x" (the header Host)'],
    [{ host: "a", "x-forwarded-host": "evil test" }, { trustProxy: true }, '"evil?test" (the header X-Forwarded-Host)'],
    [{ host: "a", "x-forwarded-proto": "ftp" }, { trustProxy: true }, '"ftp" (the header X-Forwarded-Proto)'],
    [{ host: "a" }, { host: "b/c" }, '"b?c" (the framework)'],
    [{ host: "a", "x-forwarded-host": "b/c" }, { host: "b/c" }, '"b?c" (the header X-Forwarded-Host)'],
  ])("names who said %j with %j, and what to change", (headers, options, words) => {
    expect(() => originOf(headers, options)).toThrow(words)
    expect(() => originOf(headers, options)).toThrow(/set AUTH_URL/)
  })

  it("shows neither a user name nor characters that no host has", () => {
    for (const host of ["secret:word@evil.test/\t<script>", `${"a".repeat(300)}@`, "a".repeat(5_000)]) {
      const failure = expect.objectContaining({ message: expect.stringMatching(/^"(?!.*secret)[\w.:?-]{0,83}" \(/) })
      expect(() => originOf({ host })).toThrow(failure)
    }
  })

  it.each([
    ["app.test", "http://app.test"],
    ["APP.test:3000", "http://app.test:3000"],
    ["app.test:80", "http://app.test"],
    ["app.test.", "http://app.test."],
    ["127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["[::1]:8080", "http://[::1]:8080"],
    ["my_service:80", "http://my_service"],
    ["xn--pp-uia.test", "http://xn--pp-uia.test"],
  ])("HOST-11: writes the host %j as browsers do", (host, origin) => {
    expect(originOf({ host })).toBe(origin)
  })

  it.each(["evil.test, app.test", "app.test,proxy.test,app.test", "app.test, "])(
    "HOST-05: chooses none of the several hosts of %j",
    (hosts) => {
      const headers = { host: "inner", "x-forwarded-host": hosts }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(/X-Forwarded-Host names .* AUTH_URL/)
      expect(() => originOf(headers, { host: hosts.split(",")[0] })).toThrow(/X-Forwarded-Host names/)
      expect(originOf(headers)).toBe("http://inner")
    },
  )

  it("HOST-02: believes forwarded headers only when proxies are trusted, and then the outermost protocol", () => {
    const headers = {
      host: "inner:3000",
      "x-forwarded-host": "app.test, App.test",
      "x-forwarded-proto": "https,http",
    }
    expect(originOf(headers)).toBe("http://inner:3000")
    expect(originOf(headers, { trustProxy: true })).toBe("https://app.test")
  })

  it("falls back to the request's own host and protocol when a trusted proxy says nothing", () => {
    expect(originOf({ host: "app.test", "x-forwarded-host": "" }, { trustProxy: true })).toBe("http://app.test")
  })

  it("says https where nobody knows", () => {
    expect(originOf({ host: "app.test" }, { socketProtocol: "" })).toBe("https://app.test")
    expect(resolveOrigin(new Headers({ host: "app.test" }), {})).toBe("https://app.test")
  })

  it("prefers what the framework found out, and the configured origin to everything", () => {
    const headers = { host: "inner", "x-forwarded-host": "evil.test" }
    const found = { protocol: "https:", host: "app.test:8443", trustProxy: true }
    expect(originOf(headers, found)).toBe("https://app.test:8443")
    expect(originOf({ host: "junk@" }, { ...found, origin: "https://public.test" })).toBe("https://public.test")
  })
})
