import { Auth, setEnvDefaults } from "@latchkey/core"
import GitHub from "@latchkey/core/providers/github"
import { recordingLogger } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { readProcessEnv } from "../../src/runtime/environment.js"
import type { AuthConfig } from "../../src/types/config.js"
import { passwordProvider } from "../setup/sign-ins.js"

const strong = "0f9c2ab74d1e83655ac0b9e7d2431f68"

type Variables = Readonly<Record<string, string>>

/** An app that fills in its configuration from the environment, as integrations do. */
function openApp(env: Variables, given: Partial<AuthConfig> = {}) {
  const logger = recordingLogger()
  const config: AuthConfig = { providers: [passwordProvider()], secret: strong, logger, ...given }
  setEnvDefaults(env, config)
  const ask = async (origin: string, path = "session", init: RequestInit = {}) =>
    Auth(new Request(`${origin}/auth/${path}`, init), config, { clientAddress: "198.51.100.7", isVerifiedForm: true })
  return { config, logger, ask }
}

beforeEach(() => {
  vi.stubEnv("NODE_ENV", undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const productions: readonly Variables[] = [
  {},
  { NODE_ENV: "" },
  { NODE_ENV: "production" },
  { NODE_ENV: "staging" },
  { NODE_ENV: "Development" },
]
const developments: readonly Variables[] = [{ NODE_ENV: "development" }, { NODE_ENV: "test" }]

const loopback = [
  "http://localhost:3000",
  "https://localhost",
  "http://app.localhost:3000",
  "http://127.0.0.1:3000",
  "http://127.9.9.9",
  "http://[::1]:3000",
]
const nearby = ["http://mac.local:3000", "http://192.168.1.20:3000", "http://10.0.2.2:3000", "http://[fd12::1]:3000"]
const foreign = [
  "https://evil.test",
  "http://localhost.evil.test",
  "http://127.0.0.1.evil.test",
  "http://evil-localhost",
  "http://local",
  "http://203.0.113.9",
  "http://[2001:db8::1]",
  "http://0.0.0.0:3000",
]

/** What apps and integrations do with a configuration. */
const copies: readonly [string, (config: AuthConfig) => AuthConfig][] = [
  ["a spread", (config) => ({ ...config })],
  ["Object.assign", (config) => Object.assign({}, config)],
  ["Object.assign to a base", (config) => Object.assign({ basePath: "/auth" }, config)],
  ["Object.fromEntries", (config) => Object.fromEntries(Object.entries(config)) as unknown as AuthConfig],
  ["its descriptors", (config) => Object.create({}, Object.getOwnPropertyDescriptors(config))],
  ["its prototype", (config) => Object.setPrototypeOf({ ...config }, { theme: {} })],
  ["a rest", ({ pages: _, ...config }) => config],
  ["other callbacks", (config) => ({ ...config, callbacks: {} })],
  ["a copy of a copy", (config) => ({ ...Object.assign({}, config), debug: false })],
  ["a frozen copy", (config) => Object.freeze({ ...config })],
  ["a provider more", (config) => ({ ...config, providers: [...config.providers, passwordProvider({ id: "other" })] })],
  ["a provider less", (config) => ({ ...config, providers: config.providers.filter((_, n) => n > 0) })],
]

describe.each([...developments, { NODE_ENV: "staging" }])("a copy of a configuration from %j", (env) => {
  it.each(copies)("MODE-02: trusts no foreign host: %s", async (_, copy) => {
    vi.stubEnv("NODE_ENV", "test")
    const own = GitHub({ clientSecret: "secret" })
    const { config, logger } = openApp({ ...env, AUTH_GITHUB_ID: "id" }, { providers: [passwordProvider(), own] })
    const ask = async (origin: string, each: AuthConfig) =>
      (await Auth(new Request(`${origin}/auth/csrf`), each)).status
    const copied = copy(config)
    expect(await ask("https://evil.test", copied)).toBe(500)
    expect(await ask("http://localhost:3000", copied)).toBe(200)
    expect(logger.errors).toMatchObject([{ type: "UntrustedHost" }])
    const again = { ...copied }
    setEnvDefaults(env, again)
    expect(await ask("https://evil.test", again)).toBe(500)
    setEnvDefaults({ ...env, AUTH_TRUST_HOST: "1" }, again)
    expect(await ask("https://evil.test", { ...again })).toBe(200)
  })
})

it("MODE-02: a copy whose secret comes from the environment keeps its mode with other providers", async () => {
  const { config } = openApp({ NODE_ENV: "development", AUTH_SECRET: strong }, { secret: "" })
  const copy = { ...config, providers: [passwordProvider({ id: "other" })] }
  expect((await Auth(new Request("https://evil.test/auth/csrf"), copy)).status).toBe(500)
})

it("MODE-02: another configuration with the same parts keeps its own mode", async () => {
  const providers = [passwordProvider()]
  const { config } = openApp({ NODE_ENV: "development" }, { providers })
  const other: AuthConfig = { providers, secret: strong, trustHost: true, logger: config.logger ?? {} }
  expect((await Auth(new Request("https://app.test/auth/csrf"), other)).status).toBe(200)
})

describe.each(productions)("an app that is started with %j", (env) => {
  it("MODE-01: limits guesses at passwords", async () => {
    const { ask } = openApp({ ...env, AUTH_URL: "https://app.test" }, { secret: `${strong}${crypto.randomUUID()}` })
    const body = new URLSearchParams({ username: "ada", password: "guess" })
    const headers = { "x-auth-return-redirect": "1" }
    const answers: number[] = []
    for (let n = 0; n < 70; n++)
      answers.push((await ask("https://app.test", "callback/cred", { method: "POST", body, headers })).status)
    expect(answers.at(0)).not.toBe(429)
    expect(answers.at(-1)).toBe(429)
  })

  it.each(["x", "a".repeat(64)])(
    "MODE-01, KEY-02: rejects the weak secret %s, on localhost as well",
    async (secret) => {
      const { ask, logger } = openApp(env, { secret })
      expect((await ask("http://localhost:3000")).status).toBe(500)
      expect(logger.errorTypes()).toEqual(["InvalidConfiguration"])
    },
  )

  it.each(loopback)("MODE-02: answers %s, with one line in the log", async (origin) => {
    const { ask, logger } = openApp(env)
    for (let n = 0; n < 2; n++) expect((await ask(origin)).status).toBe(200)
    expect([logger.errorTypes(), logger.warnings]).toEqual([[], ["host-unconfigured"]])
  })

  it.each([...nearby, ...foreign])("MODE-02, HOST-01: refuses %s and logs what to set", async (origin) => {
    const { ask, logger } = openApp(env)
    expect((await ask(origin)).status).toBe(500)
    expect(logger.errorTypes()).toEqual(["UntrustedHost"])
    expect(logger.errors[0]?.message).toMatch(/Set AUTH_URL.*trustHost: true/)
  })

  it("MODE-03: shows no details to a developer on localhost", async () => {
    const { ask } = openApp(env, { secret: "x" })
    expect(await (await ask("http://localhost:3000", "signin")).text()).not.toContain("openssl")
  })
})

describe.each(developments)("an app that is started with %j", (env) => {
  it.each([...loopback, ...nearby])("MODE-02: answers %s", async (origin) => {
    const { ask, logger } = openApp(env)
    expect((await ask(origin)).status).toBe(200)
    expect(logger.texts()).toEqual([])
  })

  it.each(foreign)("MODE-02, HOST-01: refuses %s", async (origin) => {
    const { ask, logger } = openApp(env)
    expect((await ask(origin, "signin")).status).toBe(500)
    expect(logger.errorTypes()).toEqual(["UntrustedHost"])
  })

  it("MODE-03: accepts a weak secret with a warning", async () => {
    const { ask, logger } = openApp(env, { secret: "x" })
    expect((await ask("http://localhost:3000")).status).toBe(200)
    expect(logger.warnings).toEqual(["short-secret"])
  })
})

describe("an app that configures its host", () => {
  it.each<[string, Variables, Partial<AuthConfig>]>([
    ["AUTH_URL", { AUTH_URL: "https://app.test" }, {}],
    ["AUTH_TRUST_HOST", { AUTH_TRUST_HOST: "true" }, {}],
    ["VERCEL", { VERCEL: "1" }, {}],
    ["trustHost", {}, { trustHost: true }],
  ])("MODE-02: is trusted with %s in every mode", async (_, variables, given) => {
    for (const env of [...productions, ...developments]) {
      const { ask, logger } = openApp({ ...env, ...variables }, given)
      expect((await ask("https://app.test")).status).toBe(200)
      expect(logger.texts()).toEqual([])
    }
  })

  it.each<[string, Variables, Partial<AuthConfig>]>([
    ["trustHost: false", {}, { trustHost: false }],
    ["AUTH_TRUST_HOST=false", { AUTH_TRUST_HOST: "false" }, {}],
    ["an AUTH_URL that is not a URL", { AUTH_URL: "app.test" }, {}],
    ["allowedOrigins alone", {}, { allowedOrigins: ["https://app.test"] }],
  ])("HOST-01: gets no request in production with %s, not even for localhost", async (_, variables, given) => {
    const { ask, logger } = openApp({ NODE_ENV: "production", ...variables }, given)
    for (const origin of ["http://localhost:3000", "https://app.test"]) expect((await ask(origin)).status).toBe(500)
    expect(logger.errorTypes()).toEqual(["UntrustedHost", "UntrustedHost"])
  })

  it("MODE-02: lists its origins in development", async () => {
    const { ask } = openApp({ NODE_ENV: "development" }, { allowedOrigins: ["https://app.test"] })
    expect((await ask("https://app.test")).status).toBe(200)
    expect((await ask("http://localhost:3000")).status).toBe(400)
  })
})

describe("setEnvDefaults", () => {
  it("MODE-02: trusts a host that a later call finds in the environment", async () => {
    const { config, ask } = openApp({})
    expect((await ask("https://app.test")).status).toBe(500)
    setEnvDefaults({ AUTH_URL: "https://app.test" }, config)
    expect((await ask("https://app.test")).status).toBe(200)
  })

  it("MODE-01: decides about the mode by its environment, not by that of the process", async () => {
    vi.stubEnv("NODE_ENV", "development")
    expect((await openApp({}, { secret: "x" }).ask("http://localhost:3000")).status).toBe(500)
    vi.stubEnv("NODE_ENV", undefined)
    expect((await openApp({ NODE_ENV: "test" }, { secret: "x" }).ask("http://localhost:3000")).status).toBe(200)
    expect(readProcessEnv()["NODE_ENV"]).toBeUndefined()
  })
})

describe("Auth without setEnvDefaults", () => {
  it("MODE-01: runs in production unless NODE_ENV says otherwise", async () => {
    const config = { providers: [], secret: "x", trustHost: true, logger: recordingLogger() }
    expect((await Auth(new Request("http://localhost/auth/session"), config)).status).toBe(500)
    vi.stubEnv("NODE_ENV", "development")
    expect((await Auth(new Request("http://localhost/auth/session"), { ...config })).status).toBe(200)
  })

  it("HOST-01: trusts no host without trustHost", async () => {
    const config = { providers: [], secret: strong, logger: recordingLogger() }
    expect((await Auth(new Request("http://localhost/auth/session"), config)).status).toBe(500)
  })
})
