import { describe, expect, it, vi } from "vitest"
import { validateOAuth } from "../methods/oauth/oauth.js"
import { customFetch, type OptionRule } from "../types/basics.js"
import type { AuthConfig } from "../types/config.js"
import type { DerivedFacts, GivenFacts, OAuth2Config, OIDCConfig } from "../types/oauth-provider.js"
import type { Provider } from "../types/providers.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { setEnvDefaults } from "./env.js"
import { findDefect, resolveProvider } from "./providers.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

const oauth: OAuth2Config = {
  id: "oauth",
  name: "OAuth",
  type: "oauth",
  authorization: "https://idp.test/authorize?scope=a&prompt=login",
  token: "https://idp.test/token",
  userinfo: "https://idp.test/me",
}
const oidc: OIDCConfig = { id: "oidc", name: "OIDC", type: "oidc", issuer: "https://idp.test" }

function resolve(provider: Provider, redirectProxyUrl?: string): ResolvedOAuthProvider {
  const resolved = resolveProvider(provider, redirectProxyUrl)
  if (resolved.type !== "oauth" && resolved.type !== "oidc") throw new Error("Not an OAuth provider")
  return resolved
}

describe("a provider's options", () => {
  it("CONF-08: cannot pollute a prototype", () => {
    const options: object = JSON.parse(
      '{"__proto__":{"polluted":1},"client":{"constructor":{"prototype":{"polluted":1}}}}',
    )
    const resolved = resolve({ ...oidc, client: { token_endpoint_auth_method: "none" }, options })
    expect(Reflect.get({}, "polluted")).toBeUndefined()
    expect(Reflect.get(resolved, "polluted")).toBeUndefined()
    expect(resolved.client).toEqual({ token_endpoint_auth_method: "none" })
  })

  it("override its fields, including the id, and are removed afterwards", () => {
    // Without exactOptionalPropertyTypes, hosts may pass an undefined variable.
    const options: object = { id: "mine", name: "Mine", clientId: "c", style: { logo: "/l.svg" }, issuer: undefined }
    const resolved = resolve({ ...oidc, clientId: "other", style: { brandColor: "#111" }, options })
    expect(resolved).toMatchObject({ id: "mine", name: "Mine", clientId: "c", issuer: "https://idp.test" })
    expect(resolved.style).toEqual({ brandColor: "#111", logo: "/l.svg" })
    expect(resolved).not.toHaveProperty("options")
  })

  it("may set parameters and keep the endpoint's URL", () => {
    const options = {
      authorization: { params: { scope: "b" } },
      token: { params: { audience: "api" } },
      userinfo: { params: { fields: "id" } },
    }
    const resolved = resolve({ ...oauth, options })
    expect(String(resolved.authorization.url)).toBe("https://idp.test/authorize")
    expect(resolved.authorization.params).toEqual({ scope: "b", prompt: "login" })
    expect(resolved.token).toEqual({ url: "https://idp.test/token", params: { audience: "api" } })
    expect(resolved.userinfo).toEqual({ url: "https://idp.test/me", params: { fields: "id" } })
  })

  it("may replace the URL of an endpoint", () => {
    const options = { token: "https://other.test/token", authorization: "https://other.test/authorize?scope=c" }
    const resolved = resolve({ ...oauth, token: { url: "https://idp.test/token", params: { a: 1 } }, options })
    expect(resolved.token).toEqual({ url: "https://other.test/token" })
    expect(resolved.authorization.params).toEqual({ scope: "c" })
  })

  it("may set customFetch, which overrides the provider's own", () => {
    const [own, chosen] = [vi.fn(), vi.fn()]
    expect(resolve({ ...oidc, [customFetch]: own })[customFetch]).toBe(own)
    expect(resolve({ ...oidc, options: { [customFetch]: chosen } })[customFetch]).toBe(chosen)
    expect(resolve({ ...oidc, [customFetch]: own, options: { [customFetch]: chosen } })[customFetch]).toBe(chosen)
  })

  it("are merged for credentials providers too", () => {
    const authorize = () => null
    const credentials = {
      id: "credentials",
      name: "C",
      type: "credentials",
      options: { authorize, id: "mine" },
    } as const
    expect(resolveProvider(credentials, undefined)).toEqual({ id: "mine", name: "C", type: "credentials", authorize })
  })

  it("are not modified, and neither is the provider", () => {
    const frozen = Object.freeze({ ...oauth, options: Object.freeze({ clientId: "c" }) })
    expect(resolve(frozen).clientId).toBe("c")
    expect(frozen).not.toHaveProperty("clientId")
  })
})

describe("resolveProvider", () => {
  it("calls an uncalled factory without options", () => {
    const factory = vi.fn((options: object) => ({ ...oidc, options }))
    expect(resolve(factory).id).toBe("oidc")
    expect(factory.mock.calls).toEqual([[{}]])
  })

  it("names a provider without a name after its id, as plain JavaScript may pass it", () => {
    const nameless = { id: "harbour", type: "oauth" } as unknown as Provider
    expect(resolveProvider(nameless, undefined).name).toBe("harbour")
    expect(resolveProvider({ ...nameless, options: { name: "Harbour" } } as Provider, undefined).name).toBe("Harbour")
  })

  it("drops the line ends that files add to ids and secrets", () => {
    const options = { clientId: "app\n", clientSecret: "se cret \r\n" }
    const pasted = { ...oidc, ...options, issuer: "https://idp.test\n" } as Provider
    const expected = { clientId: "app", clientSecret: "se cret", issuer: "https://idp.test" }
    expect(resolve(pasted)).toMatchObject(expected)
    expect(resolve({ ...oidc, options: options } as Provider)).toMatchObject({
      clientId: "app",
      clientSecret: "se cret",
    })
    expect(pasted).toMatchObject(options)
  })

  it("fills in the defaults of an OAuth provider", () => {
    expect(resolve(oidc)).toMatchObject({
      clientId: "",
      authorization: { params: {} },
      token: {},
      userinfo: {},
      checks: ["pkce"],
      idToken: true,
      isFormPost: false,
    })
    expect(resolve(oauth).checks).toEqual(["pkce"])
  })

  it.each([
    [undefined, false, false],
    ["query", false, false],
    ["form_post", true, false],
    ["jwt", false, true],
    ["query.jwt", false, true],
    ["form_post.jwt", true, true],
    ["fragment.jwt", false, false],
  ])("derives the form of the callback from response_mode %j", (response_mode, isFormPost, isJwtResponse) => {
    const params = response_mode === undefined ? {} : { response_mode }
    expect(resolve({ ...oauth, authorization: { params } })).toMatchObject({ isFormPost, isJwtResponse })
    const url = `https://idp.test/a?${new URLSearchParams(params)}`
    expect(resolve({ ...oauth, authorization: url })).toMatchObject({ isFormPost, isJwtResponse })
  })

  it("keeps the pushed endpoint if the authorization URL has a query", () => {
    const authorization = { url: "https://idp.test/a?x=1", pushed: "https://idp.test/par" }
    expect(resolve({ ...oidc, authorization }).authorization).toMatchObject({
      pushed: authorization.pushed,
      params: { x: "1" },
    })
    expect(resolve(oidc).authorization).not.toHaveProperty("pushed")
  })

  it("reads the profile from the ID token only for OpenID Connect, and not with idToken: false", () => {
    expect(resolve(oauth).idToken).toBe(false)
    expect(resolve({ ...oidc, idToken: false }).idToken).toBe(false)
  })

  it("keeps the provider's own callbacks and checks", () => {
    const own = { profile: () => ({}), account: () => undefined, checks: ["state", "nonce"] } as const
    expect(resolve({ ...oidc, ...own })).toMatchObject(own)
  })

  it("reads parameters from the query of the authorization URL; params take precedence", () => {
    const url = new URL("https://idp.test/authorize?scope=a&prompt=login&__proto__=x")
    const resolved = resolve({ ...oauth, authorization: { url, params: { scope: "b" } } })
    expect(String(resolved.authorization.url)).toBe("https://idp.test/authorize")
    expect(Object.entries(resolved.authorization.params ?? {})).toEqual([
      ["scope", "b"],
      ["prompt", "login"],
      ["__proto__", "x"],
    ])
    expect(url.search).toBe("?scope=a&prompt=login&__proto__=x")
  })

  it("keeps an invalid URL, so that validation can name it", () => {
    expect(resolve({ ...oauth, authorization: "nothing" }).authorization).toEqual({ url: "nothing", params: {} })
  })
})

describe("a redirect proxy", () => {
  const proxy = "https://proxy.test/auth"

  it("adds the state check if it is missing", () => {
    expect(resolve(oidc, proxy)).toMatchObject({ redirectProxyUrl: proxy, checks: ["pkce", "state"] })
    expect(resolve({ ...oidc, checks: ["state"] }, proxy).checks).toEqual(["state"])
  })

  it("of the provider takes precedence over that of the configuration", () => {
    expect(resolve({ ...oidc, redirectProxyUrl: "https://own.test" }, proxy).redirectProxyUrl).toBe("https://own.test")
    expect(resolve({ ...oidc, options: { redirectProxyUrl: "https://own.test" } }, proxy).redirectProxyUrl).toBe(
      "https://own.test",
    )
  })

  it("is not used by a provider with response_mode form_post", () => {
    const authorization = { params: { response_mode: "form_post" } }
    const resolved = resolve({ ...oidc, authorization, redirectProxyUrl: "https://own.test" }, proxy)
    expect(resolved).toMatchObject({ isFormPost: true, checks: ["pkce"] })
    expect(resolved).not.toHaveProperty("redirectProxyUrl")
    expect(resolve({ ...oauth, authorization: "https://idp.test/a?response_mode=form_post" }, proxy).isFormPost).toBe(
      true,
    )
  })

  it("is absent by default", () => {
    for (const none of [undefined, ""]) expect(resolve(oidc, none)).not.toHaveProperty("redirectProxyUrl")
    expect(resolve(oidc).checks).toEqual(["pkce"])
  })
})

const secret = "7f3a9c1d5e0b2468ace013579bdf24680ace1357"
const isAddress: OptionRule = (value) =>
  typeof value === "string" && value.startsWith("https://") ? null : "must be an https URL"

/** A provider with many servers: its endpoints depend on the issuer. */
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
  return validateConfig(resolveConfig(config, { isProduction: true }), validateOAuth)?.message
}

describe("a rule for an option", () => {
  it("CONF-04: refuses an invalid value, with the option's path and without the value", () => {
    const message = messageOf({ ...harbour, options: { issuer: "c4n4ry" } })
    expect(message).toBe("providers.harbour.issuer: must be an https URL")
  })

  it("CONF-04: names the environment variable if the option is missing", () => {
    expect(messageOf(harbour)).toBe(
      "providers.harbour.issuer: must be an https URL. You can also set AUTH_HARBOUR_ISSUER",
    )
  })

  it("CONF-04: is a defect of an email provider, not a mistake in the configuration", () => {
    const optionRules = { region: (value: unknown) => (value === "eu" ? null : "must be eu") }
    const mail = { id: "mail", name: "Mail", type: "email", sendVerificationRequest: () => null, optionRules } as const
    expect(messageOf(mail)).toMatch(/^adapter: an email provider needs one/)
    expect(findDefect(mail)?.message).toBe("providers.mail.region: must be eu")
    expect(findDefect({ ...mail, optionRules: {} })).toBeNull()
  })

  it("does not require an issuer if the endpoints are configured", () => {
    const addresses = { authorization: "https://a.test/a", token: "https://a.test/t", userinfo: "https://a.test/u" }
    expect(messageOf({ ...harbour, options: addresses })).toBeUndefined()
    expect(messageOf({ ...harbour, options: { wellKnown: "https://a.test/.well-known/x" } })).toBeUndefined()
    expect(messageOf({ ...harbour, options: { ...addresses, issuer: "c4n4ry" } })).toMatch(
      /^providers\.harbour\.issuer: /,
    )
  })
})

describe("the facts that a provider derives", () => {
  const resolve = (options: object) => resolveProvider({ ...harbour, options }, undefined)

  it("are overridden by the app's options, except for the issuer", () => {
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

  it("are not derived from invalid options", () => {
    const derive = (): never => {
      throw new Error("asked")
    }
    expect(resolveProvider({ ...harbour, derive }, undefined)).toMatchObject({ id: "harbour" })
  })

  it.each<[string, Provider]>([
    ["an object", harbour],
    ["an uncalled factory", (options: object) => ({ ...harbour, options })],
  ])("are derived from the environment too, for %s", (_, provider) => {
    const filled = fromEnvironment(provider, { AUTH_HARBOUR_ISSUER: "https://env.test" })
    expect(resolveProvider(filled, undefined)).toMatchObject({ issuer: "https://env.test/oidc" })
  })
})

describe("an API key of an OAuth provider", () => {
  const fill = (provider: OAuth2Config) => fromEnvironment(provider, { AUTH_HARBOUR_KEY: "key-1" })

  it("is read from the environment only if the provider has a rule for it", () => {
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
  ])("CONF-04: must be a string with scope characters, not %s", (_, scope) => {
    expect(withScope(scope)).toMatch(/^providers\.harbour\.authorization\.params\.scope: must be one text/)
  })

  it.each(["", "openid email", "user:read,results:write", "identity[email]", "https://a.test/b"])(
    "may be %j",
    (scope) => expect(withScope(scope)).toBeUndefined(),
  )
})
