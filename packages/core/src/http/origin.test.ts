import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createAllowedOrigins, isHttpAddress, type OriginOptions, resolveOrigin, validateOrigin } from "./origin.js"

const includes = (entries: readonly string[], address: string) =>
  createAllowedOrigins(entries).includes(new URL(address))

describe("createAllowedOrigins", () => {
  it.each([
    "https://evil.test/.ok.test",
    "https://evil.test?.ok.test",
    "https://evil.test#.ok.test",
    "https://evil.test\\.ok.test",
    "https://user.ok.test@evil.test",
    "https://ok.test",
    "https://.ok.test",
    "http://a.ok.test",
    "ws://a.ok.test",
    "https://a.ok.test:8443",
    "https://a.b.ok.test",
    "https://a.ok.test.",
    "https://a.ok.test.evil.test",
    "https://evil-ok.test",
    "https://aok.test",
    "blob:https://a.ok.test/1",
    "data:text/html,https://a.ok.test",
  ])("URL-24: of https://*.ok.test does not include %s", (address) => {
    const url = URL.parse(address)
    expect(url === null || createAllowedOrigins(["https://*.ok.test"]).includes(url)).toBe(url === null)
  })

  it.each([
    "http://app.test",
    "https://app.test:8443",
    "https://app.test.",
    "https://www.app.test",
    "https://app.testx",
    "https://app.test.evil.test",
    "https://app.test@evil.test",
    "blob:https://app.test/1",
  ])("URL-24: of https://app.test does not include %s", (address) => {
    expect(includes(["https://app.test"], address)).toBe(false)
  })

  it.each([
    ["https://*.ok.test", "https://a.ok.test"],
    ["https://*.ok.test", "https://A.OK.test:443/path?query#fragment"],
    ["https://*.ok.test", "https://pr-12_x.ok.test/auth"],
    ["https://*.ok.test:8443", "https://a.ok.test:8443"],
    ["http://*.localhost:3000", "http://a.localhost:3000"],
    ["https://app.test", "https://APP.test:443/auth/session"],
    ["http://localhost:3000", "http://localhost:3000/"],
    ["http://[::1]:3000", "http://[0:0::1]:3000/"],
    ["https://app.test.", "https://app.test./"],
  ])("URL-24: of %s includes %s", (entry, address) => {
    expect(includes(["https://other.test", entry], address)).toBe(true)
  })

  it("URL-24: includes exactly the origins of its entry", () => {
    const allowed = createAllowedOrigins(["https://*.ok.test"])
    const pieces = fc.constantFrom(
      "a",
      "ok",
      ".",
      "test",
      "evil",
      "@",
      ":",
      "/",
      "\\",
      "?",
      "#",
      "%2e",
      "8443",
      "*",
      "　",
    )
    const address = fc.array(pieces, { maxLength: 12 }).map((parts) => `https://${parts.join("")}.ok.test`)
    fc.assert(
      fc.property(address, (text) => {
        const url = URL.parse(text)
        if (!url) return
        const [, ...suffix] = url.hostname.split(".")
        const isOurs = suffix.join(".") === "ok.test" && url.protocol === "https:" && url.port === ""
        if (allowed.includes(url)) expect(isOurs).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe("validateOrigin", () => {
  it.each([
    "",
    "app.test",
    "*",
    "https://*",
    "https://*.*.test",
    "https://a*.ok.test",
    "https://a.*.ok.test",
    "https://ok.test/*",
    "/^https:/",
    "ftp://app.test",
    "javascript:alert(1)",
    "null",
    "https://[",
    7,
    null,
    /ok\.test$/,
  ])("refuses %s", (entry) => {
    expect(validateOrigin(entry)).not.toBeNull()
  })

  it.each(["https://*.com", "https://*.test:8443", "https://*.0.0.1", "https://*.1.2.3.4", "https://*.[::1]"])(
    "refuses the wildcard %s, which has no subdomains of one owner",
    (entry) => {
      expect(validateOrigin(entry)).not.toBeNull()
    },
  )

  it.each([
    ["https://app.test/", "https://app.test"],
    ["https://APP.test", "https://app.test"],
    ["https://app.test:443", "https://app.test"],
    ["https://app.test/auth?x#y", "https://app.test"],
    ["https://me@app.test", "https://app.test"],
    ["https://*.APP.test/", "https://*.app.test"],
  ])("refuses %s and suggests the correct form", (entry, written) => {
    expect(validateOrigin(entry)).toContain(`write ${written}`)
    expect(validateOrigin(written)).toBeNull()
  })

  it.each([
    "https://app.test",
    "http://localhost:3000",
    "http://[::1]:3000",
    "https://*.ok.test",
    "http://*.localhost:3000",
  ])("accepts %s", (entry) => {
    expect(validateOrigin(entry)).toBeNull()
  })
})

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
    if (host.trim() === "" || host.includes(",")) return // From a trusted proxy: missing, or a list.
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
  ])("names the source of an invalid value in %j with %j, and the fix", (headers, options, words) => {
    expect(() => originOf(headers, options)).toThrow(words)
    expect(() => originOf(headers, options)).toThrow(/set AUTH_URL/)
  })

  it("shows neither a user name nor characters that hosts cannot have", () => {
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
  ])("HOST-11: normalizes the host %j like browsers", (host, origin) => {
    expect(originOf({ host })).toBe(origin)
  })

  it.each(["evil.test, app.test", "app.test,proxy.test,app.test", "app.test, "])(
    "HOST-05: refuses the hosts %j rather than choosing one",
    (hosts) => {
      const headers = { host: "inner", "x-forwarded-host": hosts }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(/X-Forwarded-Host names .* AUTH_URL/)
      expect(() => originOf(headers, { host: hosts.split(",")[0] })).toThrow(/X-Forwarded-Host names/)
      expect(originOf(headers)).toBe("http://inner")
    },
  )

  it("HOST-02: uses forwarding headers only if proxies are trusted, and then the outermost protocol", () => {
    const headers = {
      host: "inner:3000",
      "x-forwarded-host": "app.test, App.test",
      "x-forwarded-proto": "https,http",
    }
    expect(originOf(headers)).toBe("http://inner:3000")
    expect(originOf(headers, { trustProxy: true })).toBe("https://app.test")
  })

  it("falls back to the Host header and the connection if a trusted proxy sends nothing", () => {
    expect(originOf({ host: "app.test", "x-forwarded-host": "" }, { trustProxy: true })).toBe("http://app.test")
  })

  it("uses https by default", () => {
    expect(originOf({ host: "app.test" }, { socketProtocol: "" })).toBe("https://app.test")
    expect(resolveOrigin(new Headers({ host: "app.test" }), {})).toBe("https://app.test")
  })

  it("prefers the values of the framework, and the configured origin over everything", () => {
    const headers = { host: "inner", "x-forwarded-host": "evil.test" }
    const found = { protocol: "https:", host: "app.test:8443", trustProxy: true }
    expect(originOf(headers, found)).toBe("https://app.test:8443")
    expect(originOf({ host: "junk@" }, { ...found, origin: "https://public.test" })).toBe("https://public.test")
  })
})

describe("isHttpAddress", () => {
  it.each([
    ["https://app.test", true],
    ["http://app.test:8080/path?query", true],
    ["HTTPS://APP.TEST", true],
    [" https://app.test", true],
    ["https:app.test", true],
    [new URL("https://app.test"), true],
    ["https://", false],
    ["https://app.test:99999", false],
    ["https://idp.app.test/oauth/v-2/~token", true],
    ["https://app..test", true],
    ["https://app.test/a b", true],
    ["https://1.2.3.999", false],
    ["https://app.0x9g", true],
    ["https://a b", false],
    ["http://", false],
    ["/path", false],
    ["app.test", false],
    ["blob:https://app.test/1", false],
    ["javascript:alert(1)//https://app.test", false],
    ["httpss://app.test", false],
    [undefined, false],
    [{}, false],
  ])("%s: %s", (value, expected) => {
    expect(isHttpAddress(value)).toBe(expected)
    const protocol = URL.parse(String(value))?.protocol
    expect(expected).toBe(protocol === "https:" || protocol === "http:")
  })
})
