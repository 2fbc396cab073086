import { describe, expect, it, vi } from "vitest"
import { Auth } from "../auth.js"
import { settingsOf } from "../integration/config.js"
import { createLog } from "../log/log.js"
import { checkAddress, findDifference, type StatedAddress } from "./page.js"

const requestFor = (address: string, headers: Record<string, string> = {}) => ({
  url: new URL(address),
  headers: new Headers(headers),
})

const plain = "http://app.test/auth/signin"
const secure = "https://app.test/auth/signin"
const stated = { authUrl: "https://app.test" }

describe("the address in the browser", () => {
  it.each([
    [{ "x-forwarded-proto": "https" }],
    [{ "x-forwarded-proto": "https,http" }],
    [{ "x-forwarded-ssl": "on" }],
    [{ "cf-visitor": '{"scheme":"https"}' }],
    [{ forwarded: "for=1.2.3.4;proto=https" }],
    [{ referer: "https://app.test/" }],
    [{ "sec-fetch-site": "none" }],
    [{ "sec-fetch-site": "same-origin", referer: "https://app.test/" }],
    [{ cookie: "a=b; __Host-authjs.csrf-token=x" }],
  ])("has another scheme than http if the request has %j", (headers) => {
    expect(findDifference(requestFor(plain, { host: "app.test", ...headers }))).toBe("scheme")
    expect(findDifference(requestFor(secure, { host: "app.test", ...headers }))).toBeNull()
  })

  it("has another scheme than https if the page before it has, and the browser sends no metadata", () => {
    expect(findDifference(requestFor(secure, { referer: "http://app.test/" }))).toBe("scheme")
    expect(
      findDifference(requestFor(secure, { referer: "http://app.test/", "sec-fetch-site": "cross-site" })),
    ).toBeNull()
  })

  it.each(["http://localhost:3000", "http://127.0.0.1:3000", "http://app.localhost"])(
    "is that of the request on %s, for which browsers send metadata and secure cookies, too",
    (origin) => {
      const headers = { host: new URL(origin).host, "sec-fetch-site": "none", cookie: "__Host-authjs.csrf-token=x" }
      expect(findDifference(requestFor(`${origin}/auth/signin`, headers))).toBeNull()
    },
  )

  it.each<[string, Record<string, string>, StatedAddress]>([
    ["the Host header without a proxy", { host: "other.test" }, stated],
    ["the forwarded host", { host: "inner", "x-forwarded-host": "other.test" }, stated],
    ["a forwarded host that is not believed", { host: "app.test", "x-forwarded-host": "other.test" }, {}],
    ["the page before it", { "sec-fetch-site": "same-origin", referer: "https://other.test/" }, stated],
    ["its port", { host: "app.test:8443" }, stated],
  ])("has another host by %s", (_, headers, address) => {
    expect(findDifference(requestFor(secure, headers), address)).toBe("host")
  })

  it.each<[string, Record<string, string>, StatedAddress]>([
    ["a proxy replaces Host", { host: "inner:3000", "x-forwarded-for": "1.2.3.4" }, stated],
    ["a proxy announces itself", { host: "origin.cdn.test", via: "1.1 cdn" }, stated],
    ["the page before it has the same", { host: "x.test", "sec-fetch-site": "same-origin", referer: secure }, stated],
    ["the request decides about it", { host: "other.test" }, {}],
    ["the header is no host", { host: "a b" }, stated],
    ["there are no headers", {}, stated],
  ])("is that of the request if %s", (_, headers, address) => {
    expect(findDifference(requestFor(secure, headers), address)).toBeNull()
  })

  it("has another path if a proxy should cut off its beginning, and there is none", () => {
    const address = { authUrl: "https://app.test/shop/auth", cutPath: "/shop" }
    expect(findDifference(requestFor(secure, { host: "app.test" }), address)).toBe("path")
    expect(findDifference(requestFor(secure, { host: "inner", "x-forwarded-for": "1.2.3.4" }), address)).toBeNull()
  })

  it("is compared with the path that the framework has mounted the endpoints on", async () => {
    const warn = vi.fn()
    const secret = "a secret of at least thirty-two characters"
    const given = { providers: [], secret, logger: { warn } }
    const env = { AUTH_URL: "https://app.test/shop/auth" }
    const { config } = settingsOf(given, { env, mountPath: "/auth" })
    const ask = (headers: Record<string, string>) =>
      Auth(new Request("https://app.test/shop/auth/signin", { headers: { host: "app.test", ...headers } }), config)
    await ask({ "x-forwarded-for": "1.2.3.4" })
    expect(warn).not.toHaveBeenCalled()
    await ask({})
    expect(warn.mock.calls).toEqual([
      [
        "address-mismatch",
        expect.stringMatching(/^AUTH_URL is https:\/\/app\.test\/shop\/auth, but requests come without/),
      ],
    ])
  })

  it("LOG-04: is logged once if it differs, without any text of the request", () => {
    const warn = vi.fn()
    const log = createLog({ warn })
    for (const host of ["evil.test", "evil2.test"]) {
      checkAddress(requestFor(secure, { host }), stated, log)
      checkAddress(
        { ...requestFor(plain, { "sec-fetch-site": host }), context: { proxySetting: "setTrust()" } },
        {},
        log,
      )
    }
    expect(warn.mock.calls).toEqual([
      ["address-mismatch", "AUTH_URL is https://app.test, but browsers open its pages at another host"],
      [
        "address-mismatch",
        "AUTH_URL is not set, and no proxy that the framework trusts (setTrust()) sends X-Forwarded-Proto, but browsers open its pages over https",
      ],
    ])
  })
})
