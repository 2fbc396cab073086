import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { GitHub } from "../providers/github.js"
import { Resend } from "../providers/resend.js"
import { getService } from "../service.js"
import type { HostConfig } from "./config.js"
import { settingsOf } from "./config.js"
import { warnAtStart } from "./start.js"

const secret = "a secret for the tests of the start, long enough"

beforeEach(() => {
  vi.useFakeTimers()
  for (const name of ["AUTH_SECRET", "AUTH_GITHUB_ID", "AUTH_GITHUB_SECRET", "NEXT_PHASE"]) vi.stubEnv(name, "")
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** The warnings that are given within two seconds of the start. */
function startWith(given: Partial<HostConfig>, afterwards = () => {}) {
  const warn = vi.fn()
  const config = { providers: [GitHub], ...given, logger: { warn } }
  warnAtStart(config)
  afterwards()
  vi.advanceTimersByTime(2_000)
  return { config, warnings: warn.mock.calls, warn }
}

describe("an app that starts", () => {
  it("is warned about a missing secret, client ID and key, with the names of the variables", () => {
    const { warnings } = startWith({ providers: [GitHub, Resend({})] })
    expect(warnings).toEqual([
      ["secret-missing"],
      ["provider-unusable", "providers.github.clientId: missing. Set it, or AUTH_GITHUB_ID in the environment"],
      ["provider-unusable", "providers.resend.apiKey: is missing. You can also set AUTH_RESEND_KEY"],
    ])
  })

  it.each([
    ["production", { secret: "x" }, "short-secret"],
    ["production", { secret: "a".repeat(40) }, "weak-secret"],
    ["production", { secret, jwt: { secret: [secret, "x"] } }, "short-secret"],
    ["development", { secret: ["x", secret] }, "short-secret"],
  ])("is warned in %s about a secret that can be guessed: %j", (mode, given, code) => {
    vi.stubEnv("NODE_ENV", mode)
    const { config, warnings, warn } = startWith({ providers: [], ...given })
    expect(warnings).toEqual([[code]])
    getService(settingsOf(config, { env: process.env }).config)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it("is warned about a secret that ends as a file does", () => {
    expect(startWith({ providers: [], secret: `${secret}\n` }).warnings).toEqual([["secret-blank"]])
  })

  it("is warned about a weak secret of the environment", () => {
    vi.stubEnv("AUTH_SECRET", "x")
    expect(startWith({ providers: [] }).warnings).toEqual([["short-secret"]])
  })

  it("is not warned about variables that it loads while it starts", () => {
    const { warnings } = startWith({}, () => {
      vi.stubEnv("AUTH_SECRET", secret)
      vi.stubEnv("AUTH_GITHUB_ID", "app")
      vi.stubEnv("AUTH_GITHUB_SECRET", "the client secret")
    })
    expect(warnings).toEqual([])
  })

  it("is not warned again by the first request", () => {
    const { config, warn } = startWith({ secret, trustHost: true })
    expect(warn).toHaveBeenCalledTimes(1)
    getService(settingsOf(config, { env: process.env }).config)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it("is not written to", () => {
    const config = Object.freeze({ providers: [], logger: { warn: () => {} } })
    warnAtStart(config)
    expect(() => vi.advanceTimersByTime(2_000)).not.toThrow()
  })

  it("is warned about tables that its database lacks, and not about a database that is away", async () => {
    const findMissingTables = vi.fn(async () => ["Spent", "Authenticator.name"])
    const { warn } = startWith({ secret, providers: [], adapter: { findMissingTables } as object })
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
    expect(warn.mock.calls).toEqual([["tables-missing", "Missing: Spent, Authenticator.name"]])
    findMissingTables.mockRejectedValueOnce(new Error("away"))
    const away = startWith({ secret, providers: [], adapter: { findMissingTables } as object })
    findMissingTables.mockResolvedValueOnce([])
    const whole = startWith({ secret, providers: [], adapter: { findMissingTables } as object })
    await vi.advanceTimersByTimeAsync(0)
    expect([away.warn.mock.calls, whole.warn.mock.calls, findMissingTables.mock.calls.length]).toEqual([[], [], 3])
  })

  it("is not warned while Next.js builds it", () => {
    vi.stubEnv("NEXT_PHASE", "phase-production-build")
    expect(startWith({}).warnings).toEqual([])
  })

  it("is not warned about a configuration that depends on the request", () => {
    warnAtStart(() => {
      throw new Error("called")
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  it("goes on if a provider cannot be read", () => {
    const fail = () => {
      throw new Error("no")
    }
    expect(startWith({ secret, providers: [fail] }).warnings).toEqual([])
  })

  it("goes on where timers are forbidden", () => {
    vi.stubGlobal("setTimeout", () => {
      throw new Error("Disallowed operation called within global scope")
    })
    expect(() => warnAtStart({ providers: [GitHub] })).not.toThrow()
    vi.unstubAllGlobals()
  })
})
