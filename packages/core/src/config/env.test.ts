import { afterEach, describe, expect, it, vi } from "vitest"
import { getService } from "../auth.js"
import { Nodemailer } from "../providers/nodemailer.js"
import { type Environment, isProduction } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"
import type { ProviderConfig } from "../types/providers.js"
import { findConfiguredUrl, findHostTrust, isConfiguredUrlBroken, setEnvDefaults } from "./env.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

function fill(env: Environment, given: Partial<AuthConfig> = {}, suppress?: boolean) {
  const warn = vi.fn()
  const config: AuthConfig = { providers: [], logger: { warn }, ...given }
  setEnvDefaults(env, config, suppress)
  return { config, warn }
}

const oidc: ProviderConfig = { id: "my-idp", name: "Mine", type: "oidc", issuer: "https://idp.test" }

function fillProvider(env: Environment, provider: AuthConfig["providers"][number]): ProviderConfig {
  const [filled] = fill(env, { providers: [provider] }).config.providers
  if (typeof filled !== "object") throw new Error("The factory was not called")
  return filled
}

describe("setEnvDefaults: secret", () => {
  it("lists AUTH_SECRET and AUTH_SECRET_1 to _3, the newest first", () => {
    const env = { AUTH_SECRET: "a", AUTH_SECRET_1: "b", AUTH_SECRET_2: "c", AUTH_SECRET_3: "d", AUTH_SECRET_4: "e" }
    expect(fill(env).config.secret).toEqual(["d", "c", "b", "a"])
    expect(fill({ AUTH_SECRET: "a", AUTH_SECRET_2: "c" }).config.secret).toEqual(["c", "a"])
  })

  it("KEY-05: ignores empty variables", () => {
    expect(fill({ AUTH_SECRET: "", AUTH_SECRET_1: "", AUTH_SECRET_3: "d" }).config.secret).toEqual(["d"])
  })

  it.each([undefined, null, "", []])("replaces %j by AUTH_SECRET", (secret) => {
    // as: apps in JavaScript may pass null.
    const given = secret === undefined ? {} : { secret: secret as string }
    expect(fill({ AUTH_SECRET: "a" }, given).config.secret).toEqual(["a"])
  })

  it.each(["own", ["own", "older"]])("keeps the configured secret %j", (secret) => {
    expect(fill({ AUTH_SECRET: "a", AUTH_SECRET_3: "d" }, { secret }).config.secret).toBe(secret)
  })

  it("reads NEXTAUTH_SECRET if AUTH_SECRET is not set", () => {
    expect(fill({ NEXTAUTH_SECRET: "old" }).config.secret).toEqual(["old"])
    expect(fill({ NEXTAUTH_SECRET: "old", AUTH_SECRET: "", AUTH_SECRET_1: "b" }).config.secret).toEqual(["b", "old"])
    expect(fill({ NEXTAUTH_SECRET: "old", AUTH_SECRET: "new" }).config.secret).toEqual(["new"])
  })

  it("KEY-01: leaves the secret missing if no variable is set", () => {
    const { config } = fill({})
    expect(config.secret).toEqual([])
    expect(getService(config).mistake).toMatchObject({ type: "MissingSecret" })
  })
})

describe("setEnvDefaults: basePath", () => {
  it.each([
    [{}, "/auth"],
    [{ AUTH_URL: "https://app.test" }, "/auth"],
    [{ AUTH_URL: "https://app.test/" }, "/auth"],
    [{ AUTH_URL: "https://app.test//" }, "/auth"],
    [{ AUTH_URL: "https://app.test/api/auth" }, "/api/auth"],
    [{ AUTH_URL: "https://app.test/api/auth?a#b" }, "/api/auth"],
    [{ NEXTAUTH_URL: "https://app.test/api/auth" }, "/api/auth"],
    [{ AUTH_URL: "https://app.test/new", NEXTAUTH_URL: "https://app.test/old" }, "/new"],
    [{ AUTH_URL: "" }, "/auth"],
  ])("fills in from %j: %s", (env, expected) => {
    const { config, warn } = fill(env)
    expect(config.basePath).toBe(expected)
    expect(warn).not.toHaveBeenCalled()
  })

  it("fills in for null, as apps in JavaScript may pass", () => {
    const given = { basePath: null as unknown as string }
    expect(fill({ AUTH_URL: "https://app.test/api/auth" }, given).config.basePath).toBe("/api/auth")
  })

  it.each(["app.test/api/auth", "https://", "nothing"])(
    "ignores AUTH_URL=%j, which is not a URL, with a warning",
    (AUTH_URL) => {
      for (const given of [{}, { basePath: "/auth" }]) {
        const { config, warn } = fill({ AUTH_URL }, given)
        expect([config.basePath, warn.mock.calls]).toEqual(["/auth", [["env-url-invalid"]]])
      }
    },
  )

  it("keeps the configured path, with a warning if AUTH_URL has a path too", () => {
    for (const env of [{ AUTH_URL: "https://app.test/api/auth" }, { NEXTAUTH_URL: "https://app.test/auth" }]) {
      const { config, warn } = fill(env, { basePath: "/auth" })
      expect(config.basePath).toBe("/auth")
      expect(warn.mock.calls).toEqual([["env-url-basepath-redundant"]])
    }
  })

  it("does not warn if the warning is suppressed, or AUTH_URL has no path", () => {
    expect(fill({ AUTH_URL: "https://app.test/api/auth" }, { basePath: "/auth" }, true).warn).not.toHaveBeenCalled()
    for (const AUTH_URL of ["https://app.test", "https://app.test/"]) {
      expect(fill({ AUTH_URL }, { basePath: "/auth" }).warn).not.toHaveBeenCalled()
    }
  })

  it("warns on the console without a logger", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    setEnvDefaults({ AUTH_URL: "https://app.test/api/auth" }, { providers: [], basePath: "/auth" })
    await vi.waitFor(() =>
      expect(warn.mock.calls.join()).toMatch(/^\[auth\]\[warn\]\[env-url-basepath-redundant\] AUTH_URL has a path/),
    )
    warn.mockRestore()
  })
})

describe("setEnvDefaults: trustHost", () => {
  const production = { NODE_ENV: "production" }

  it("is false in production unless a variable sets it", () => {
    expect(fill(production).config.trustHost).toBe(false)
    const values = {
      AUTH_URL: "https://app.test",
      NEXTAUTH_URL: "https://app.test",
      AUTH_TRUST_HOST: "1",
      VERCEL: "1",
      CF_PAGES: "1",
    }
    for (const [name, value] of Object.entries(values)) {
      expect(fill({ ...production, [name]: "" }).config.trustHost, name).toBe(false)
      expect(fill({ ...production, [name]: value }).config.trustHost, name).toBe(true)
    }
  })

  it.each(["false", "FALSE", "0", "no", "off", " "])("is not set by AUTH_TRUST_HOST=%j", (AUTH_TRUST_HOST) => {
    expect(fill({ ...production, AUTH_TRUST_HOST }).config.trustHost).toBe(false)
  })

  it.each(["development", "test", "staging"])("is true with NODE_ENV=%j", (NODE_ENV) => {
    expect(fill({ NODE_ENV }).config.trustHost).toBe(true)
  })

  it.each([undefined, ""])("MODE-01: is false with NODE_ENV=%j", (NODE_ENV) => {
    expect(fill({ NODE_ENV }).config.trustHost).toBe(false)
  })

  it("keeps the configured value", () => {
    expect(fill({ ...production, VERCEL: "1" }, { trustHost: false }).config.trustHost).toBe(false)
    expect(fill(production, { trustHost: true }).config.trustHost).toBe(true)
  })
})

describe("setEnvDefaults: AUTH_URL without https", () => {
  const NODE_ENV = "production"

  it.each(["AUTH_URL", "NEXTAUTH_URL"])("HOST-10, CONF-09: warns once in production (%s)", (name) => {
    const env = { NODE_ENV, [name]: "http://app.example" }
    const { config, warn } = fill(env)
    setEnvDefaults(env, config)
    expect(warn.mock.calls).toEqual([["insecure-url"]])
  })

  it("HOST-10: does not warn in development, or about https", () => {
    expect(fill({ AUTH_URL: "http://localhost:3000" }).warn).not.toHaveBeenCalled()
    expect(fill({ NODE_ENV: "development", AUTH_URL: "http://app.example" }).warn).not.toHaveBeenCalled()
    expect(fill({ NODE_ENV, AUTH_URL: "https://app.example" }).warn).not.toHaveBeenCalled()
  })
})

describe("setEnvDefaults: redirectProxyUrl", () => {
  const env = { AUTH_REDIRECT_PROXY_URL: "https://proxy.test/auth" }

  it("is filled in from AUTH_REDIRECT_PROXY_URL unless configured", () => {
    expect(fill(env).config.redirectProxyUrl).toBe("https://proxy.test/auth")
    expect(fill(env, { redirectProxyUrl: "https://own.test" }).config.redirectProxyUrl).toBe("https://own.test")
    expect(fill({}).config).not.toHaveProperty("redirectProxyUrl")
  })
})

describe("setEnvDefaults: providers", () => {
  const env = { AUTH_MY_IDP_ID: "id", AUTH_MY_IDP_SECRET: "secret", AUTH_MY_IDP_ISSUER: "https://env.test" }

  it("KEY-07: refuses the provider id __proto__", () => {
    const { config } = fill(
      { AUTH___PROTO___ID: "id" },
      { providers: [{ ...oidc, id: "__proto__" }], secret: "s".repeat(32), trustHost: true },
    )
    expect(validateConfig(resolveConfig(config, { isProduction: true }))).toMatchObject({
      type: "InvalidConfiguration",
    })
  })

  it("KEY-07: fills in the missing options of an OAuth provider by its id", () => {
    const { issuer: _, ...bare } = oidc as typeof oidc & { issuer: string }
    for (const type of ["oidc", "oauth"] as const) {
      expect(fillProvider({ ...env, AUTH_MY_IDP_KEY: "key" }, { ...bare, type } as ProviderConfig)).toEqual({
        ...bare,
        type,
        clientId: "id",
        clientSecret: "secret",
        issuer: "https://env.test",
      })
    }
  })

  it("fills them in without the line ends of files and consoles", () => {
    const { issuer: _, ...bare } = oidc as typeof oidc & { issuer: string }
    const pasted = {
      AUTH_MY_IDP_ID: "id\n",
      AUTH_MY_IDP_SECRET: "secret\r\n",
      AUTH_MY_IDP_ISSUER: " https://env.test\n",
    }
    expect(fillProvider(pasted, bare as ProviderConfig)).toMatchObject({
      clientId: "id",
      clientSecret: "secret",
      issuer: "https://env.test",
    })
    expect(fillProvider({ AUTH_MY_IDP_ID: "\n" }, bare as ProviderConfig)).not.toHaveProperty("clientId")
    expect(fill({ AUTH_REDIRECT_PROXY_URL: "https://proxy.test/auth\n" }).config.redirectProxyUrl).toBe(
      "https://proxy.test/auth",
    )
  })

  it.each([
    ["no list", undefined],
    ["a text in the list", ["github"]],
    ["a factory that throws", [() => Nodemailer({ server: "" })]],
  ])("leave %s to the service, which names the mistake", (_, providers) => {
    const given = providers as unknown as ProviderConfig[]
    const { config } = fill(env, { providers: given, secret: "0f9c2ab74d1e83655ac0b9e7d2431f68" })
    expect(config.providers).toEqual(given)
    expect(getService(config).mistake?.message).toMatch(/^providers(?:\[0\])?: /)
  })

  it("supports ids with digits and dashes", () => {
    const school = { AUTH_42_SCHOOL_ID: "id", AUTH_42_SCHOOL_SECRET: "secret" }
    expect(fillProvider(school, { ...oidc, id: "42-school" })).toMatchObject({ clientId: "id", clientSecret: "secret" })
  })

  it("keeps the options that are set, in the provider or in its options", () => {
    expect(fillProvider(env, { ...oidc, clientId: "own" })).toMatchObject({
      clientId: "own",
      clientSecret: "secret",
      issuer: "https://idp.test",
    })
    const filled = fillProvider(env, { ...oidc, options: { clientId: "own", clientSecret: "" } })
    expect(filled).toMatchObject({ clientSecret: "secret" })
    expect(filled).not.toHaveProperty("clientId")
    expect(resolveConfig({ providers: [filled] }, { isProduction: false }).providers).toMatchObject([
      { clientId: "own" },
    ])
  })

  it("uses the id from the provider's options", () => {
    const filled = fillProvider(env, { ...oidc, id: "generic", options: { id: "my-idp" } })
    expect(filled).toMatchObject({ clientId: "id", clientSecret: "secret" })
    expect(
      fillProvider({ AUTH_GENERIC_ID: "x" }, { ...oidc, id: "generic", options: { id: "my-idp" } }),
    ).not.toHaveProperty("clientId")
  })

  it("fills in the API key of a mail service, but nothing for credentials and WebAuthn", () => {
    const all = { AUTH_X_ID: "id", AUTH_X_SECRET: "secret", AUTH_X_ISSUER: "https://x.test", AUTH_X_KEY: "key" }
    const email = { id: "x", name: "X", type: "email", sendVerificationRequest: () => {} } as const
    expect(fillProvider(all, email)).toEqual({ ...email, apiKey: "key" })
    expect(fillProvider(all, { ...email, apiKey: "own" })).toMatchObject({ apiKey: "own" })
    for (const type of ["credentials", "webauthn"] as const) {
      const provider = { id: "x", name: "X", type }
      expect(fillProvider(all, provider)).toBe(provider)
    }
  })

  it("calls an uncalled factory with the options from the environment", () => {
    const factory = vi.fn((options: object): ProviderConfig => ({ ...oidc, options }))
    const filled = fillProvider({ ...env, AUTH_MY_IDP_KEY: "key" }, factory)
    expect(factory.mock.lastCall).toEqual([
      { clientId: "id", clientSecret: "secret", issuer: "https://env.test", apiKey: "key" },
    ])
    expect(resolveConfig({ providers: [filled] }, { isProduction: false }).providers).toMatchObject([
      { id: "my-idp", clientId: "id", clientSecret: "secret", issuer: "https://env.test" },
    ])
    expect(fillProvider({}, factory)).toMatchObject({ id: "my-idp", options: {} })
  })

  it("does not modify the configured providers", () => {
    const given = Object.freeze({ ...oidc, options: Object.freeze({}) })
    const list = Object.freeze([given])
    const { config } = fill(env, { providers: list as unknown as ProviderConfig[] })
    expect(config.providers).not.toBe(list)
    expect(given).not.toHaveProperty("clientId")
  })
})

const broken = ["app.test", "localhost:3000", "javascript:alert(1)", "https://", "1"]

describe("findConfiguredUrl", () => {
  it.each(broken)("ignores AUTH_URL=%j", (AUTH_URL) => {
    expect(findConfiguredUrl({ AUTH_URL })).toBeNull()
    expect(isConfiguredUrlBroken({ AUTH_URL })).toBe(true)
  })

  it("prefers AUTH_URL, and ignores an empty one", () => {
    expect(findConfiguredUrl({ AUTH_URL: "https://app.test:443/api/auth" })?.href).toBe("https://app.test/api/auth")
    expect(findConfiguredUrl({ AUTH_URL: "", NEXTAUTH_URL: "http://old.test:3000" })?.origin).toBe(
      "http://old.test:3000",
    )
    expect(findConfiguredUrl({ AUTH_URL: "https://new.test", NEXTAUTH_URL: "https://old.test" })?.host).toBe("new.test")
    for (const env of [{}, { AUTH_URL: "" }]) {
      expect([findConfiguredUrl(env), isConfiguredUrlBroken(env)]).toEqual([null, false])
    }
  })
})

describe("findHostTrust", () => {
  it.each(broken)("HOST-01: trusts no host because of AUTH_URL=%j, which is not a URL", (url) => {
    for (const name of ["AUTH_URL", "NEXTAUTH_URL"]) {
      expect(findHostTrust({ NODE_ENV: "production", [name]: url }), name).toEqual({
        trustHost: false,
        localHosts: null,
      })
    }
  })

  it("trusts every host if a URL or AUTH_TRUST_HOST is set", () => {
    for (const NODE_ENV of [undefined, "production", "development", "staging"]) {
      for (const set of [
        { AUTH_URL: "https://app.test" },
        { NEXTAUTH_URL: "http://app.test" },
        { AUTH_TRUST_HOST: "1" },
      ]) {
        expect(findHostTrust({ NODE_ENV, ...set })).toEqual({ trustHost: true, localHosts: null })
      }
    }
  })

  it.each([
    [undefined, false, "loopback"],
    ["production", false, "loopback"],
    ["staging", true, "loopback"],
    ["development", true, "network"],
    ["test", true, "network"],
  ])("MODE-02: without a URL, trusts local hosts only (NODE_ENV=%j)", (NODE_ENV, trustHost, localHosts) => {
    expect(findHostTrust({ NODE_ENV })).toEqual({ trustHost, localHosts })
  })
})

describe("isProduction", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })

  it.each([
    ["production", true],
    ["staging", true],
    ["Development", true],
    ["", true],
    [undefined, true],
    ["development", false],
    ["test", false],
  ])("MODE-01: with NODE_ENV %j is %s", (value, expected) => {
    vi.stubEnv("NODE_ENV", value)
    expect(isProduction()).toBe(expected)
    expect(isProduction({ NODE_ENV: value })).toBe(expected)
  })

  it("MODE-01: is true without a global process", () => {
    vi.stubGlobal("process", undefined)
    expect(isProduction()).toBe(true)
  })
})
