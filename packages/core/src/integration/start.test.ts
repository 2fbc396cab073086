import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { getService } from "../auth.js"
import { Auth0 } from "../providers/auth0.js"
import { GitHub } from "../providers/github.js"
import { Resend } from "../providers/resend.js"
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

const doctor = Symbol.for("latchkey.doctor")

/** The errors that are logged at once, and those within two seconds. */
function errorsOf(given: unknown) {
  const error = vi.fn<(error: Error) => void>()
  const shown = vi.spyOn(console, "error").mockImplementation(error)
  const config = typeof given === "object" && given ? { ...given, logger: { error, warn: () => {} } } : given
  warnAtStart(config as HostConfig) // as: apps in JavaScript pass anything.
  const texts = () => error.mock.calls.map(([failure]) => failure.message ?? String(failure))
  const atOnce = texts()
  vi.advanceTimersByTime(2_000)
  shown.mockRestore()
  return { atOnce, all: texts() }
}

/** The warnings that are given within two seconds of the start. */
function startWith(given: Partial<HostConfig>, afterwards = () => {}) {
  const warn = vi.fn()
  const config = { providers: [GitHub], ...given, logger: { warn, error: () => {} } }
  warnAtStart(config)
  afterwards()
  vi.advanceTimersByTime(2_000)
  return { config, warnings: warn.mock.calls, warn }
}

describe("an app whose modules are loaded by latchkey doctor", () => {
  it("hands over its configuration, and logs nothing", () => {
    const take = vi.fn()
    Object.assign(globalThis, { [doctor]: take })
    const source = () => ({ providers: [] })
    const { config, warnings } = startWith({ debug: true })
    warnAtStart(source)
    Reflect.deleteProperty(globalThis, doctor)
    expect([take.mock.calls, warnings]).toEqual([[[config], [source]], []])
  })
})

describe("an app that starts with a mistake in its configuration", () => {
  it("logs it at once, and once", () => {
    const { atOnce, all } = errorsOf({ secret, providers: [], session: { strategy: "jtw" } })
    expect(atOnce).toEqual(['session.strategy: must be "jwt" or "database"'])
    expect(all).toEqual(atOnce)
  })

  it.each([
    [{ secret: "x" }, "secret: shorter than 32 characters"],
    [{ secret: "a".repeat(40) }, "secret: made of a few repeated characters"],
    [{ secret, jwt: { secret: [secret, "x"] } }, "jwt.secret: shorter than 32 characters"],
  ])("logs in production, without another warning, a secret that can be guessed: %j", (given, sentence) => {
    vi.stubEnv("NODE_ENV", "production")
    const { atOnce, all } = errorsOf({ providers: [], ...given })
    expect([atOnce, all]).toEqual([[`${sentence}. Create one with "openssl rand -hex 32"`], atOnce])
    expect(startWith({ providers: [], ...given }).warnings).toEqual([])
  })

  it("logs it once for several handlers", () => {
    const error = vi.fn()
    for (const _ of [1, 2]) warnAtStart({ secret, providers: [], basePath: "https://app.test/auth", logger: { error } })
    expect(error.mock.calls.map(([{ message }]) => message)).toEqual(["basePath: must be a path, such as /auth"])
  })

  it("logs it while Next.js builds the app, without the secret, and lets the build go on", () => {
    vi.stubEnv("NEXT_PHASE", "phase-production-build")
    expect(errorsOf({ providers: [], debug: "true" }).all).toEqual(["debug: must be true or false"])
    expect(errorsOf({ providers: [GitHub] }).all).toEqual([])
  })

  it("logs it on workers, which have no variables", () => {
    vi.stubGlobal("process", undefined)
    expect(errorsOf({ providers: [], debug: "true" }).all).toEqual(["debug: must be true or false"])
    vi.unstubAllGlobals()
  })

  it("logs a host that is not trusted when its variables had time to load", () => {
    const { atOnce, all } = errorsOf({ secret, providers: [], trustHost: false })
    expect([atOnce, all]).toEqual([[], [expect.stringContaining("trustHost: the Host header is not trusted")]])
  })

  it("waits for the variable that a mistake names", () => {
    const { atOnce, all } = errorsOf({ secret, providers: [Auth0] })
    expect([atOnce, all]).toEqual([[], [expect.stringContaining("AUTH_AUTH0_ISSUER")]])
  })

  it("names a configuration that is undefined, and throws nothing", () => {
    expect(errorsOf(undefined).all).toEqual([
      expect.stringContaining("The configuration is undefined. If it is imported"),
    ])
  })
})

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
    ["development", { secret: "a".repeat(40) }, "weak-secret"],
    ["development", { secret, jwt: { secret: [secret, "x"] } }, "short-secret"],
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
