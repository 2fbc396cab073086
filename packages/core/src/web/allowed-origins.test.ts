import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createAllowedOrigins, findOriginMistake } from "./allowed-origins.js"

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

  it("URL-24: includes what its entry names and nothing else, whatever the address", () => {
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

describe("findOriginMistake", () => {
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
    expect(findOriginMistake(entry)).not.toBeNull()
  })

  it.each(["https://*.com", "https://*.test:8443", "https://*.0.0.1", "https://*.1.2.3.4", "https://*.[::1]"])(
    "refuses %s, under which nobody has names of their own",
    (entry) => {
      expect(findOriginMistake(entry)).not.toBeNull()
    },
  )

  it.each([
    ["https://app.test/", "https://app.test"],
    ["https://APP.test", "https://app.test"],
    ["https://app.test:443", "https://app.test"],
    ["https://app.test/auth?x#y", "https://app.test"],
    ["https://me@app.test", "https://app.test"],
    ["https://*.APP.test/", "https://*.app.test"],
  ])("says of %s how it is written", (entry, written) => {
    expect(findOriginMistake(entry)).toContain(`write ${written}`)
    expect(findOriginMistake(written)).toBeNull()
  })

  it.each([
    "https://app.test",
    "http://localhost:3000",
    "http://[::1]:3000",
    "https://*.ok.test",
    "http://*.localhost:3000",
  ])("takes %s", (entry) => {
    expect(findOriginMistake(entry)).toBeNull()
  })
})
