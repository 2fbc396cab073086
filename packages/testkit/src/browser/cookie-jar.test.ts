import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type CookieRequest, createCookieJar } from "./cookie-jar.js"

const app = new URL("https://app.test/account/start")
const visit: CookieRequest = { url: app, method: "GET", isSameSite: true, isTopLevel: true }
const foreign: CookieRequest = { ...visit, isSameSite: false }

function jarWith(headers: readonly string[], url: URL = app, isCrossSiteScript = false) {
  const jar = createCookieJar()
  for (const header of headers) jar.store(header, { url, isCrossSiteScript })
  return jar
}

describe("a cookie jar rejects", () => {
  it.each([
    ["a name and value of 4097 bytes", `a=${"v".repeat(4096)}`],
    ["4097 bytes of non-ASCII text", `a=${"é".repeat(2048)}`],
    ["a control character", "a=b\u0007c; Path=/"],
    ["an empty cookie", "=; Path=/"],
    ["the domain of another host", "a=b; Domain=evil.test"],
    ["the domain of a subdomain", "a=b; Domain=www.app.test"],
    ["a public suffix", "a=b; Domain=test"],
    ["SameSite=None without Secure", "a=b; SameSite=None"],
    ["__Secure- without Secure", "__Secure-a=b"],
    ["__SECURE- in upper case without Secure", "__SECURE-a=b"],
    ["__Host- with a path", "__Host-a=b; Secure; Path=/account"],
    ["__Host- without a path", "__Host-a=b; Secure"],
    ["__Host- with a domain", "__Host-a=b; Secure; Path=/; Domain=app.test"],
    ["__Host- without Secure", "__Host-a=b; Path=/"],
    ["a prefix in the value of a nameless cookie", "=__Host-a=b"],
  ])("%s", (_, header) => {
    const jar = jarWith([header])
    expect(jar.list()).toEqual([])
    expect(jar.refused).toHaveLength(1)
  })

  it("Secure over plain HTTP", () => {
    expect(jarWith(["a=b; Secure"], new URL("http://app.test/")).list()).toEqual([])
  })

  it("overwriting a Secure cookie over plain HTTP", () => {
    const jar = jarWith(["a=b; Secure; Path=/"])
    jar.store("a=tossed; Path=/", { url: new URL("http://app.test/"), isCrossSiteScript: false })
    expect(jar.header(visit)).toBe("a=b")
  })

  it("Lax cookies in a response to a cross-site script", () => {
    expect(jarWith(["a=b", "c=d; SameSite=None; Secure; Path=/"], app, true).header(visit)).toBe("c=d")
  })
})

describe("the Cookie header", () => {
  it("sends only SameSite=None cookies with a cross-site POST", () => {
    const jar = jarWith([
      "lax=1; SameSite=Lax",
      "default=1",
      "strict=1; SameSite=Strict",
      "none=1; SameSite=None; Secure",
    ])
    expect(jar.header({ ...foreign, method: "POST" })).toBe("none=1")
    expect(jar.header({ ...foreign, isTopLevel: false })).toBe("none=1")
    expect(jar.header(foreign)).toBe("lax=1; default=1; none=1")
    expect(jar.header({ ...visit, method: "POST" })).toBe("lax=1; default=1; strict=1; none=1")
  })

  it("sends domain cookies to subdomains, and host-only cookies only to their host", () => {
    const jar = jarWith(["own=1; Path=/", "wide=1; Path=/; Domain=.App.Test"])
    expect(jar.header({ ...visit, url: new URL("https://www.app.test/") })).toBe("wide=1")
    expect(jar.header({ ...visit, url: new URL("https://notapp.test/") })).toBe("")
  })

  it.each([
    ["/account", "/account", true],
    ["/account", "/account/deep", true],
    ["/account", "/accounting", false],
    ["/account/", "/account", false],
    ["", "/account/x", true],
    ["", "/", false],
    ["nonsense", "/account/x", true],
  ])("matches the path %j against %s: %s", (path, pathname, isSent) => {
    const jar = jarWith([`a=b; Path=${path}`])
    expect(jar.header({ ...visit, url: new URL(pathname, app) })).toBe(isSent ? "a=b" : "")
  })

  it("sends Secure cookies only over HTTPS", () => {
    const jar = jarWith(["a=b; Secure; Path=/"])
    expect(jar.header({ ...visit, url: new URL("http://app.test/") })).toBe("")
  })

  it("orders cookies by longest path, then by age", () => {
    const jar = jarWith(["first=1; Path=/", "second=1; Path=/", "deep=1; Path=/account", "first=2; Path=/"])
    expect(jar.header(visit)).toBe("deep=1; first=2; second=1")
  })
})

describe("the lifetime of a cookie", () => {
  it.each([
    ["Max-Age=0", 0],
    ["Max-Age=-1", 0],
    ["Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 1],
    ["Max-Age=soon", 1],
    ["Expires=soon", 1],
  ])("with %s leaves %d cookies", (attribute, count) => {
    expect(jarWith(["a=old; Path=/", `a=b; Path=/; ${attribute}`]).list()).toHaveLength(count)
  })

  it("is at most 400 days", () => {
    const [cookie] = jarWith([`a=b; Max-Age=${10 * 365 * 86_400}`]).list()
    expect(cookie?.expiresAt?.getTime()).toBeLessThanOrEqual(Date.now() + 400 * 86_400_000)
  })
})

const anyCharacter = fc.integer({ min: 0, max: 0x2ff }).map((code) => String.fromCodePoint(code))
const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$/).filter((name) => !/^__(host|secure)-/i.test(name))
const cookieValue = fc.stringMatching(/^[!#-+\--:<-[\]-~]{0,60}$/)

describe("random cookies", () => {
  it("are sent back exactly as they were set, one for each name", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(token, cookieValue), { maxLength: 12 }), (pairs) => {
        const jar = jarWith(pairs.map(([name, value]) => `${name}=${value}; Path=/`))
        const expected = [...new Map(pairs)].map(([name, value]) => `${name}=${value}`).join("; ")
        expect(jar.header(visit)).toBe(expected)
      }),
    )
  })

  it("never make the jar throw or store a cookie of another host", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter, maxLength: 80 }), { maxLength: 5 }), (headers) => {
        const jar = jarWith(headers)
        for (const { domain } of jar.list()) expect(domain).toBe("app.test")
      }),
    )
  })

  it("are never sent from one host to an unrelated one", () => {
    const label = fc.constantFrom("a", "b")
    const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join(".")}.test`)
    fc.assert(
      fc.property(host, host, host, (setter, domain, reader) => {
        const jar = jarWith([`a=b; Path=/; Domain=${domain}`], new URL(`https://${setter}/`))
        const isSent = jar.header({ ...visit, url: new URL(`https://${reader}/`) }) !== ""
        const isBelow = (name: string) => name === domain || name.endsWith(`.${domain}`)
        expect(isSent).toBe(isBelow(setter) && isBelow(reader))
      }),
    )
  })
})
