import { afterEach, describe, expect, it, vi } from "vitest"
import { resolveSettings } from "../src/settings.js"
import { testConfig } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("resolveSettings", () => {
  it("gives the same object for the same configuration and mount path, so that it is resolved once", async () => {
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
    const config = testConfig({ providers: Object.freeze([provider]) as unknown as [] }) // Lists of a host may be frozen.
    const before = structuredClone(config.providers)
    const { config: filled } = await resolveSettings(config, null)
    expect(filled.providers).toEqual([{ ...provider, clientId: "from the environment" }])
    expect(config.providers).toEqual(before)
  })

  it("forgets the oldest of very many mount paths: visitors may choose them", async () => {
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
    [undefined, "not a URL", "/auth", "/auth"],
  ])("basePath %j, AUTH_URL %j and mount path %j make %j", async (basePath, url, mountPath, expected) => {
    vi.stubEnv("AUTH_URL", url)
    const settings = await resolveSettings(testConfig(basePath === undefined ? {} : { basePath }), null, mountPath)
    expect(settings.basePath).toBe(expected)
  })

  it("warns of a path in AUTH_URL only when it says something else", async () => {
    const warn = vi.fn()
    vi.stubEnv("AUTH_URL", "https://app.test/auth")
    await resolveSettings(testConfig({ logger: { warn } }), null, "/auth")
    expect(warn).not.toHaveBeenCalled()
    vi.stubEnv("AUTH_URL", "https://app.test/elsewhere")
    await resolveSettings(testConfig({ logger: { warn } }), null, "/auth")
    expect(warn).toHaveBeenCalledExactlyOnceWith("env-url-basepath-redundant")
  })
})
