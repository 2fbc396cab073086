import { Auth, setEnvDefaults } from "@latchkey/core"
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
