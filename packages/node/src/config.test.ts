import type { OriginOptions } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import { afterEach, describe, expect, it, vi } from "vitest"
import { testConfig } from "../test/config.js"
import { fromNodeHeaders, type NodeRequest, resolveOrigin, resolveSettings } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("resolveSettings", () => {
  it("returns the same object for the same configuration and mount path, so that it is resolved once", async () => {
    const config = testConfig()
    const [first, again, lazy, other] = await Promise.all([
      resolveSettings(config, null, "/auth"),
      resolveSettings(config, null, "/auth"),
      resolveSettings(async () => config, null, "/auth"),
      resolveSettings(config, null, "/api/auth"),
    ])
    expect(again).toBe(first)
    expect(lazy).toBe(first)
    expect(other).not.toBe(first)
    expect(other.basePath).toBe("/api/auth")
    expect((await resolveSettings(testConfig(), null, "/auth")).config).not.toBe(first.config)
  })

  it("writes neither to the configuration nor to its providers", async () => {
    vi.stubEnv("AUTH_CORP_ID", "from the environment")
    const provider = Object.freeze({ id: "corp", name: "Corp", type: "oidc", issuer: "https://corp.test" } as const)
    const config = testConfig({ providers: Object.freeze([provider]) as unknown as [] }) // A host's list may be frozen.
    const before = structuredClone(config.providers)
    const { config: filled } = await resolveSettings(config, null)
    expect(filled.providers).toEqual([{ ...provider, clientId: "from the environment" }])
    expect(config.providers).toEqual(before)
  })

  it("drops the oldest of more than 64 mount paths, which clients may choose", async () => {
    const config = testConfig()
    const first = await resolveSettings(config, null, "/t0/auth")
    for (let tenant = 1; tenant < 64; tenant++) await resolveSettings(config, null, `/t${tenant}/auth`)
    expect(await resolveSettings(config, null, "/t0/auth")).toBe(first)
    await resolveSettings(config, null, "/t64/auth")
    expect(await resolveSettings(config, null, "/t0/auth")).not.toBe(first)
  })

  it.each([
    [undefined, undefined, "", "/auth"],
    ["/account/", undefined, "", "/account"],
    ["/", undefined, "", ""],
    [undefined, "https://app.test/api/auth", "", "/api/auth"],
    ["/account", "https://app.test/api/auth", "", "/account"],
    ["/", "https://app.test/api/auth", "", ""],
    [undefined, "https://app.test", "/api/auth", "/api/auth"],
    [undefined, "https://app.test/shop/auth/", "/auth", "/shop/auth"],
    ["/shop/auth", undefined, "/auth", "/shop/auth"],
    ["/shop/auth", "https://app.test/other", "/auth", "/shop/auth"],
    [undefined, "https://app.test/elsewhere", "/auth", "/auth"],
    [undefined, "https://app.test/shop-auth", "/auth", "/auth"],
    ["/elsewhere", undefined, "/auth", "/auth"],
    ["/", undefined, "/auth", "/auth"],
    ["/caf\u00E9/auth", undefined, "", "/caf%C3%A9/auth"],
    ["/a b/auth", "https://app.test/other", "", "/a%20b/auth"],
    [undefined, undefined, "/caf\u00E9/auth", "/caf%C3%A9/auth"],
    ["/caf\u00E9/auth", undefined, "/auth", "/caf%C3%A9/auth"],
    ["/shop/caf\u00E9/auth", undefined, "/caf%C3%A9/auth", "/shop/caf%C3%A9/auth"],
    [undefined, "https://app.test/shop/caf%c3%a9", "/caf%C3%A9", "/shop/caf%C3%A9"],
    [null as unknown as undefined, "https://app.test/api/auth", "", "/api/auth"],
    [undefined, "not a URL", "/auth", "/auth"],
  ])("resolves basePath %j, AUTH_URL %j and mount path %j to %j", async (basePath, url, mountPath, expected) => {
    vi.stubEnv("AUTH_URL", url)
    const settings = await resolveSettings(testConfig(basePath === undefined ? {} : { basePath }), null, mountPath)
    expect(settings.basePath).toBe(expected)
  })

  it("warns about a path in AUTH_URL only if it differs from the base path", async () => {
    const warn = vi.fn()
    vi.stubEnv("AUTH_URL", "https://app.test/auth")
    await resolveSettings(testConfig({ logger: { warn } }), null, "/auth")
    expect(warn).not.toHaveBeenCalled()
    vi.stubEnv("AUTH_URL", "https://app.test/elsewhere")
    await resolveSettings(testConfig({ logger: { warn } }), null, "/auth")
    expect(warn).toHaveBeenCalledExactlyOnceWith("env-url-basepath-redundant")
  })
})

describe("fromNodeHeaders", () => {
  it("drops pseudo-headers and undefined values", () => {
    const headers = fromNodeHeaders({ ":path": "/x", ":authority": "app.test", accept: undefined, host: "app.test" })
    expect([...headers]).toEqual([["host", "app.test"]])
  })

  it("keeps each of several values", () => {
    const headers = fromNodeHeaders({
      "set-cookie": ["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"],
      "x-list": "1, 2",
    })
    expect(headers.getSetCookie()).toEqual(["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"])
    expect(headers.get("x-list")).toBe("1, 2")
  })
})

function requestWith(headers: NodeRequest["headers"], socket: object = {}): NodeRequest {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  const untouched = { readableDidRead: false, readableEnded: false, destroyed: false }
  const quiet = { pause: () => {}, resume: () => {}, on: () => {}, off: () => {} }
  return { headers, rawHeaders, socket, ...untouched, ...quiet }
}

const originOf = (headers: NodeRequest["headers"], options: OriginOptions = {}, socket: object = {}) =>
  resolveOrigin(requestWith(headers, socket), options)

describe("resolveOrigin", () => {
  it("HOST-05: rejects several Host headers", () => {
    const request = { ...requestWith({ host: "app.test" }), rawHeaders: ["Host", "app.test", "host", "evil.test"] }
    expect(() => resolveOrigin(request, {})).toThrow(UntrustedHost)
  })

  it.each(["user@evil.test/x?", "app.test:99999", "app.test evil.test", "[::1"])(
    "HOST-05: rejects the host %j of a request or a trusted proxy",
    (host) => {
      const forwarded = { host: "app.test", "x-forwarded-host": host }
      expect(() => originOf({ host })).toThrow(UntrustedHost)
      expect(() => originOf({ ":authority": host })).toThrow(UntrustedHost)
      expect(() => originOf(forwarded, { trustProxy: true })).toThrow(UntrustedHost)
      expect(originOf(forwarded)).toBe("http://app.test")
    },
  )

  it.each(["javascript", "ftp", "https://evil.test/"])(
    "HOST-04: rejects the protocol %j of a trusted proxy",
    (protocol) => {
      const headers = { host: "app.test", "x-forwarded-proto": protocol }
      expect(() => originOf(headers, { trustProxy: true })).toThrow(UntrustedHost)
      expect(originOf(headers)).toBe("http://app.test")
    },
  )

  it("HOST-02: reads forwarded headers only from a trusted proxy, and the outermost protocol of several", () => {
    const headers = {
      host: "inner:3000",
      "x-forwarded-host": "app.test",
      "x-forwarded-proto": "https,http",
    }
    expect(originOf(headers)).toBe("http://inner:3000")
    expect(originOf(headers, { trustProxy: true })).toBe("https://app.test")
  })

  it("uses https for an encrypted socket", () => {
    expect(originOf({ host: "app.test" }, {}, { encrypted: true })).toBe("https://app.test")
  })

  it("uses the authority of HTTP/2", () => {
    expect(originOf({ ":authority": "app.test:8443" }, {}, { encrypted: true })).toBe("https://app.test:8443")
  })

  it("prefers the options to headers, and the configured origin to both", () => {
    const headers = { host: "inner", "x-forwarded-host": "evil.test" }
    const found = { protocol: "https:", host: "app.test:8443", trustProxy: true }
    expect(originOf(headers, found)).toBe("https://app.test:8443")
    expect(originOf({ host: "junk@" }, { ...found, origin: "https://public.test" })).toBe("https://public.test")
  })
})
