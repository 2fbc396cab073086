import { describe, expect, it } from "vitest"
import type { OptionRule } from "../contract/common-provider.js"
import type { AuthConfig } from "../contract/config.js"
import type { DerivedFacts, GivenFacts, OAuth2Config } from "../contract/oauth-provider.js"
import type { Provider } from "../contract/provider.js"
import { setEnvDefaults } from "./env-defaults.js"
import { findMistake } from "./find-mistake.js"
import { resolveConfig } from "./resolve-config.js"
import { resolveProvider } from "./resolve-provider.js"

const secret = "7f3a9c1d5e0b2468ace013579bdf24680ace1357"
const isAddress: OptionRule = (value) =>
  typeof value === "string" && value.startsWith("https://") ? null : "must be it"

/** A provider of many servers, as a module or a host writes it. */
const harbour: OAuth2Config = {
  id: "harbour",
  name: "Harbour",
  type: "oauth",
  optionRules: { issuer: isAddress },
  derive: ({ issuer }: GivenFacts): DerivedFacts => ({
    issuer: `${issuer}/oidc`,
    authorization: { url: `${issuer}/authorize`, params: { scope: "read", prompt: "login" } },
    token: `${issuer}/token`,
    userinfo: `${issuer}/me`,
  }),
}

function fromEnvironment(provider: Provider, env: Readonly<Record<string, string>>): Provider {
  const config: AuthConfig = { providers: [provider], secret }
  setEnvDefaults(env, config)
  return config.providers[0] ?? provider
}

function messageOf(provider: Provider): string | undefined {
  const config: AuthConfig = { providers: [provider], secret, trustHost: true }
  return findMistake(resolveConfig(config, { isProduction: true }))?.message
}

describe("a rule for an option", () => {
  it("CONF-04: refuses a configuration that breaks it, with the option's path and without its value", () => {
    const message = messageOf({ ...harbour, options: { issuer: "c4n4ry" } })
    expect(message).toBe("providers.harbour.issuer: must be it")
  })

  it("CONF-04: names the variable where the option is missing", () => {
    expect(messageOf(harbour)).toBe("providers.harbour.issuer: must be it; AUTH_HARBOUR_ISSUER sets it as well")
  })

  it("CONF-04: is heeded by every type of provider", () => {
    const optionRules = { region: (value: unknown) => (value === "eu" ? null : "must be eu") }
    const mail = { id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => null, optionRules } as const
    expect(messageOf(mail)).toBe("providers.mail.region: must be eu")
  })

  it("asks for no issuer where the host wrote the addresses itself", () => {
    const addresses = { authorization: "https://a.test/a", token: "https://a.test/t", userinfo: "https://a.test/u" }
    expect(messageOf({ ...harbour, options: addresses })).toBeUndefined()
    expect(messageOf({ ...harbour, options: { wellKnown: "https://a.test/.well-known/x" } })).toBeUndefined()
    expect(messageOf({ ...harbour, options: { ...addresses, issuer: "c4n4ry" } })).toMatch(
      /^providers\.harbour\.issuer: /,
    )
  })
})

describe("what a provider derives", () => {
  const resolve = (options: object) => resolveProvider({ ...harbour, options }, undefined)

  it("lies under the host's own, but for the issuer", () => {
    const options = {
      issuer: "https://a.test",
      authorization: { params: { prompt: "none" } },
      token: "https://b.test/t",
    }
    const resolved = resolve(options)
    expect(resolved).toMatchObject({
      issuer: "https://a.test/oidc",
      authorization: { url: new URL("https://a.test/authorize"), params: { scope: "read", prompt: "none" } },
      token: { url: "https://b.test/t" },
      userinfo: { url: "https://a.test/me" },
    })
    expect(resolved).not.toHaveProperty("derive")
  })

  it("is not asked for while a rule is broken", () => {
    const derive = (): never => {
      throw new Error("asked")
    }
    expect(resolveProvider({ ...harbour, derive }, undefined)).toMatchObject({ id: "harbour" })
  })

  it.each<[string, Provider]>([
    ["an object", harbour],
    ["a factory that was not called", (options: object) => ({ ...harbour, options })],
  ])("follows from the environment too, for %s", (_, provider) => {
    const filled = fromEnvironment(provider, { AUTH_HARBOUR_ISSUER: "https://env.test" })
    expect(resolveProvider(filled, undefined)).toMatchObject({ issuer: "https://env.test/oidc" })
  })
})

describe("an API key of an OAuth provider", () => {
  const fill = (provider: OAuth2Config) => fromEnvironment(provider, { AUTH_HARBOUR_KEY: "key-1" })

  it("comes from the environment where the provider has a rule for it, and nowhere else", () => {
    expect(fill({ ...harbour, optionRules: { apiKey: () => null } })).toMatchObject({ apiKey: "key-1" })
    expect(fill(harbour)).not.toHaveProperty("apiKey")
  })
})

describe("a scope", () => {
  const withScope = (scope: unknown): string | undefined =>
    messageOf({ ...harbour, options: { issuer: "https://a.test", authorization: { params: { scope } } } })

  it.each([
    ["a list", ["openid", "email"]],
    ["a number", 7],
    ["a line break", "a\nb"],
    ["a quote", 'a"b'],
  ])("CONF-04: must be one text, which %s is not", (_, scope) => {
    expect(withScope(scope)).toMatch(/^providers\.harbour\.authorization\.params\.scope: must be one text/)
  })

  it.each(["", "openid email", "user:read,results:write", "identity[email]", "https://a.test/b"])(
    "may be %j",
    (scope) => expect(withScope(scope)).toBeUndefined(),
  )
})
