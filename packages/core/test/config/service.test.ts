import { afterEach, describe, expect, it, vi } from "vitest"
import { getService } from "../../src/auth.js"
import { resolveConfig } from "../../src/config/resolve.js"
import { warnAbout } from "../../src/config/validate.js"
import { createLog } from "../../src/log/log.js"
import { Passkey } from "../../src/providers/passkey.js"
import { signInMethod, skipCSRFCheck } from "../../src/types/basics.js"
import type { AuthConfig } from "../../src/types/config.js"

const client = { clientId: "rp", clientSecret: "client-secret" }

describe("service", () => {
  const secret = "a secret of at least thirty-two characters"
  const http = new URL("http://localhost:3000/auth/session")
  const https = new URL("https://app.test/auth/session")

  function createConfig(given: object = {}): AuthConfig {
    return { providers: [], secret, trustHost: true, ...given }
  }

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  describe("getService", () => {
    it.each<[string, object]>([
      ["a factory that throws", { providers: [() => JSON.parse("{")] }],
      ["null for a provider", { providers: [null] }],
      ["text for a provider", { providers: ["github"] }],
      ["no list of providers", { providers: undefined }],
      ["secrets that are no text", { secret: [undefined, null, 7] }],
      [
        "checks that are no list",
        { providers: [{ id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", checks: 7 }] },
      ],
    ])("CONF-01: reports %s as a mistake, and does not throw", (_, given) => {
      const service = getService(createConfig(given))
      expect(service.mistake).toMatchObject({ type: "InvalidConfiguration" })
      expect(service.basePath).toBe("/auth")
      expect(service.pageContext.providers).toBeInstanceOf(Map)
    })

    it("notices that the app wrote to the configuration after the first request", () => {
      const oidc = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", ...client } as const
      const config: { -readonly [Name in keyof AuthConfig]: AuthConfig[Name] } = createConfig({ providers: [oidc] })
      const first = getService(config)
      expect(getService(config)).toBe(first)
      config.basePath = "/tenant"
      const second = getService(config)
      expect([second.basePath, getService(config) === second]).toEqual(["/tenant", true])
      config.providers = [{ ...oidc, id: "other" }]
      expect([...getService(config).pageContext.providers.keys()]).toEqual(["other"])
      config.providers.push({ ...oidc, id: "third" })
      expect([...getService(config).pageContext.providers.keys()]).toEqual(["other", "third"])
      config.providers[0] = { ...oidc, id: "fourth" }
      expect([...getService(config).pageContext.providers.keys()]).toEqual(["fourth", "third"])
      delete config.basePath
      expect(getService(config).basePath).toBe("/auth")
    })

    it("notices what the app wrote to a configuration that is an instance of a class", () => {
      class TenantConfig {
        #basePath = "/one"
        providers = []
        secret = secret
        get basePath() {
          return this.#basePath
        }
        moveTo(path: string) {
          this.#basePath = path
        }
      }
      const config = new TenantConfig()
      expect(getService(config).basePath).toBe("/one")
      config.moveTo("/two")
      expect(getService(config).basePath).toBe("/two")
    })

    it("notices an option that is not enumerable", () => {
      const config = Object.defineProperty(createConfig(), "basePath", { value: "/one", writable: true })
      expect(getService(config).basePath).toBe("/one")
      config.basePath = "/two"
      expect(getService(config).basePath).toBe("/two")
    })

    it("keeps the service when the app changes a property that is not an option", () => {
      const config = createConfig({ requests: 1 })
      const first = getService(config)
      Object.assign(config, { requests: 2 })
      expect(getService(config)).toBe(first)
    })

    it("does not read getters again, which may return another object each time", () => {
      const read = vi.fn(() => ({}))
      const config = Object.defineProperty(createConfig(), "pages", { get: read, enumerable: true })
      const first = getService(config)
      const reads = read.mock.calls.length
      expect(getService(config)).toBe(first)
      expect(read).toHaveBeenCalledTimes(reads)
    })

    it("keeps the error of a factory as the cause of the mistake", () => {
      const error = new TypeError("`server` is missing")
      const fail = () => {
        throw error
      }
      const { mistake } = getService(createConfig({ providers: [fail] }))
      expect(mistake?.message).toBe("providers: cannot be read: `server` is missing")
      expect(mistake?.cause?.err).toBe(error)
    })

    it("KEY-01: reports a missing secret", () => {
      expect(getService(createConfig({ secret: undefined })).mistake).toMatchObject({ type: "MissingSecret" })
    })

    it("KEY-02: rejects short secrets in production only", () => {
      const production = () => getService(createConfig({ secret: "short", logger: { warn: () => {} } }))
      expect(production()).toMatchObject({ mistake: null, isProduction: false })
      vi.stubEnv("NODE_ENV", "production")
      expect(production()).toMatchObject({ mistake: { type: "InvalidConfiguration" }, isProduction: true })
    })

    it("builds one service for each configuration object", () => {
      const config = createConfig()
      expect(getService(config)).toBe(getService(config))
      expect(getService({ ...config })).not.toBe(getService(config))
    })

    it("CONF-06: never writes to the configuration, and freezes the service", () => {
      const config = Object.freeze(createConfig({ providers: Object.freeze([]) }))
      const service = getService(config)
      expect(service.mistake).toBeNull()
      expect(Object.isFrozen(service)).toBe(true)
      expect(Object.isFrozen(service.contextFor(https))).toBe(true)
    })

    it("CONF-06: keeps configurations of different requests apart", async () => {
      const warn = [vi.fn(), vi.fn()] as const
      const configs = warn.map((given, index) =>
        createConfig({
          secret: `${index} ${secret}`,
          logger: { warn: given },
          providers: [{ id: `idp-${index}`, name: "I", type: "oidc", issuer: "https://idp.test", ...client }],
          cookies: { state: { name: `state-${index}` } },
          ...(index === 1 && { debug: true }),
        }),
      )
      const services = configs.map(getService)
      expect(services.map(({ pageContext }) => [...pageContext.providers.keys()])).toEqual([["idp-0"], ["idp-1"]])
      expect(warn.map(({ mock }) => mock.calls.flat())).toEqual([[], ["debug-enabled"]])
    })

    it("warns once about a weak option, even with a new configuration for each request", () => {
      const warn = vi.fn()
      for (let request = 0; request < 3; request++) getService(createConfig({ debug: true, logger: { warn } }))
      expect(warn.mock.calls).toEqual([["debug-enabled"]])
    })

    it("logs no warnings for an invalid configuration", () => {
      const warn = vi.fn()
      getService(createConfig({ debug: true, trustHost: false, logger: { warn } }))
      expect(warn).not.toHaveBeenCalled()
    })
  })

  describe("a service's collaborators", () => {
    it("are built once for http and once for https", () => {
      const { contextFor } = getService(createConfig())
      expect(contextFor(http)).toBe(contextFor(new URL("http://other.test/")))
      expect(contextFor(https)).toBe(contextFor(new URL("https://other.test/")))
      expect(contextFor(http)).not.toBe(contextFor(https))
    })

    it.each([true, false])("ignore the scheme when useSecureCookies is %s", (useSecureCookies) => {
      const { contextFor } = getService(createConfig({ useSecureCookies }))
      expect(contextFor(http)).toBe(contextFor(https))
      expect(contextFor(http).referenceCookie.options.secure).toBe(useSecureCookies)
    })

    it("build URLs below the base path, with the origin of the request", () => {
      const { pageContext } = getService(createConfig({ basePath: "api/auth/" }))
      expect(pageContext.actionUrl({ url: https } as never, "signin")).toBe("https://app.test/api/auth/signin")
      expect(pageContext.actionUrl({ url: http } as never, "callback/x")).toBe(
        "http://localhost:3000/api/auth/callback/x",
      )
    })

    it("URL-23: find a provider by its exact id only", () => {
      const { providers } = getService(
        createConfig({ providers: [{ id: "idp", name: "I", type: "oidc", issuer: "https://idp.test" }] }),
      ).pageContext
      expect(["idp", "__proto__", "constructor", "undefined"].map((id) => providers.has(id))).toEqual([
        true,
        false,
        false,
        false,
      ])
    })

    it("import the code of a method once, when it is first used", async () => {
      const oidc = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", ...client } as const
      const { contextFor, pageContext } = getService(createConfig({ providers: [oidc, { ...oidc, id: "other" }] }))
      const [first, second] = [...pageContext.providers.values()].map(contextFor(https).loadSteps)
      expect(await first).toBe(await second)
      expect(await first).toMatchObject({ begin: expect.any(Function), prove: expect.any(Function) })
    })

    it("import the code of a method again after the import failed", async () => {
      const steps = { begin: vi.fn(), prove: vi.fn(), resolveUser: vi.fn() }
      const load = vi.fn(async () => steps)
      load.mockRejectedValueOnce(new TypeError("Failed to fetch dynamically imported module"))
      const { loadSteps } = getService(createConfig()).contextFor(https)
      const provider = { id: "own", name: "Own", type: "credentials", [signInMethod]: { load } } as never
      await expect(loadSteps(provider)).rejects.toThrow("Failed to fetch")
      expect(await loadSteps(provider)).toBe(steps)
      expect(await loadSteps(provider)).toBe(steps)
      expect(load).toHaveBeenCalledTimes(2)
    })

    it("reject email and passkeys without an adapter", async () => {
      const { loadSteps } = getService(createConfig()).contextFor(https)
      const passkey = Passkey()
      await expect(loadSteps(passkey)).rejects.toMatchObject({ type: "MissingAdapter" })
    })
  })
})

describe("warnAbout", () => {
  const oidc = { id: "idp", name: "I", type: "oidc", issuer: "https://idp.test", ...client } as const

  const secret = "a secret of at least thirty-two characters"

  function warningsOf(...configs: readonly Partial<AuthConfig>[]): readonly unknown[] {
    const warn = vi.fn()
    for (const config of configs) {
      warnAbout(resolveConfig({ providers: [], secret, ...config }, { isProduction: false }), createLog({ warn }))
    }
    return warn.mock.calls.flat()
  }

  it.each<[string, Partial<AuthConfig>]>([
    ["debug-enabled", { debug: true }],
    ["short-secret", { secret: "s".repeat(31) }],
    ["short-secret", { secret: [secret, "short"] }],
    ["short-secret", { jwt: { secret: "short" } }],
    ["weak-secret", { secret: "s".repeat(64) }],
    ["weak-secret", { jwt: { secret: "changeme-changeme-changeme-changeme" } }],
    ["csrf-disabled", { skipCSRFCheck }],
    ["checks-none", { providers: [{ ...oidc, checks: ["none"] }] }],
    ["email-linking-enabled", { providers: [{ ...oidc, allowDangerousEmailAccountLinking: true }] }],
  ])("CONF-09: logs %s once", (code, config) => {
    expect(warningsOf(config, config)).toEqual([code])
  })

  it("CONF-09: logs each of several warnings", () => {
    const provider = { ...oidc, checks: ["none"], allowDangerousEmailAccountLinking: true } as const
    expect(warningsOf({ debug: true, providers: [provider, { ...provider, id: "other" }] })).toEqual([
      "debug-enabled",
      "checks-none",
      "email-linking-enabled",
    ])
  })

  describe("with an adapter that was published for Auth.js", () => {
    const mail = { id: "m", name: "M", type: "email", sendVerificationRequest: async () => {}, options: {} } as const
    const credentials = { id: "c", name: "C", type: "credentials", authorize: () => null } as const
    const linking = { ...oidc, allowDangerousEmailAccountLinking: true } as const

    const codesOf = (providers: readonly object[], adapter: object, isProduction = false) => {
      const warn = vi.fn()
      const config = { secret, adapter, providers: providers as AuthConfig["providers"] } // as: resolved below
      warnAbout(resolveConfig(config, { isProduction }), createLog({ warn }))
      return warn.mock.calls.flat()
    }

    it.each([
      ["email links beside a provider", [mail, oidc], ["email-unproven"]],
      ["email links beside passwords of the app", [mail, credentials], ["email-unproven"]],
      ["email links alone", [mail], []],
      ["a provider alone", [oidc], []],
      ["a provider that links", [linking], ["email-linking-enabled", "email-linking-unproven"]],
    ])("MAIL-18: warns about addresses that were never verified: %s", (_, providers, codes) => {
      expect(codesOf(providers, {})).toEqual(codes)
      const able = codesOf(providers, { isEmailVerified: () => true })
      expect(able.filter((code) => String(code).endsWith("unproven"))).toEqual([])
    })

    it("warns in production that each process counts what is used once", () => {
      expect(codesOf([oidc], {}, true)).toEqual(["once-per-process"])
      expect(codesOf([oidc], { consumeOnce: () => true }, true)).toEqual([])
      expect(codesOf([credentials], {}, true)).toEqual([])
    })
  })

  it("logs nothing for safe options", () => {
    const credentials = { id: "c", name: "C", type: "credentials", authorize: () => null } as const
    expect(warningsOf({ providers: [oidc, credentials], debug: false })).toEqual([])
  })
})
