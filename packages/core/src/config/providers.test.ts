import { describe, expect, it, vi } from "vitest"
import { defaultAccount, defaultProfile } from "../methods/oauth/resolve.js"
import { customFetch, type OptionRule } from "../types/basics.js"
import type { AuthConfig } from "../types/config.js"
import type { DerivedFacts, GivenFacts, OAuth2Config, OIDCConfig } from "../types/oauth-provider.js"
import type { Provider } from "../types/providers.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { setEnvDefaults } from "./env.js"
import { resolveProvider } from "./providers.js"
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
  it("CONF-08: reach no prototype", () => {
    const options: object = JSON.parse(
      '{"__proto__":{"polluted":1},"client":{"constructor":{"prototype":{"polluted":1}}}}',
    )
    const resolved = resolve({ ...oidc, client: { token_endpoint_auth_method: "none" }, options })
    expect(Reflect.get({}, "polluted")).toBeUndefined()
    expect(Reflect.get(resolved, "polluted")).toBeUndefined()
    expect(resolved.client).toEqual({ token_endpoint_auth_method: "none" })
  })

  it("are laid over its fields, the id among them, and are gone afterwards", () => {
    // A host that reads its environment may pass undefined where its compiler is less strict than ours.
    const options: object = { id: "mine", name: "Mine", clientId: "c", style: { logo: "/l.svg" }, issuer: undefined }
    const resolved = resolve({ ...oidc, clientId: "other", style: { brandColor: "#111" }, options })
    expect(resolved).toMatchObject({ id: "mine", name: "Mine", clientId: "c", issuer: "https://idp.test" })
    expect(resolved.style).toEqual({ brandColor: "#111", logo: "/l.svg" })
    expect(resolved).not.toHaveProperty("options")
  })

  it("may change parameters without taking an endpoint's URL away", () => {
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

  it("replace an endpoint by another URL", () => {
    const options = { token: "https://other.test/token", authorization: "https://other.test/authorize?scope=c" }
    const resolved = resolve({ ...oauth, token: { url: "https://idp.test/token", params: { a: 1 } }, options })
    expect(resolved.token).toEqual({ url: "https://other.test/token" })
    expect(resolved.authorization.params).toEqual({ scope: "c" })
  })

  it("may hold the fetch that calls the provider, as the provider itself may", () => {
    const [own, chosen] = [vi.fn(), vi.fn()]
    expect(resolve({ ...oidc, [customFetch]: own })[customFetch]).toBe(own)
    expect(resolve({ ...oidc, options: { [customFetch]: chosen } })[customFetch]).toBe(chosen)
    expect(resolve({ ...oidc, [customFetch]: own, options: { [customFetch]: chosen } })[customFetch]).toBe(chosen)
  })

  it("count for every type", () => {
    const authorize = () => null
    const credentials = {
      id: "credentials",
      name: "C",
      type: "credentials",
      options: { authorize, id: "mine" },
    } as const
    expect(resolveProvider(credentials, undefined)).toEqual({ id: "mine", name: "C", type: "credentials", authorize })
  })

  it("and the provider are not written to", () => {
    const frozen = Object.freeze({ ...oauth, options: Object.freeze({ clientId: "c" }) })
    expect(resolve(frozen).clientId).toBe("c")
    expect(frozen).not.toHaveProperty("clientId")
  })
})

describe("resolveProvider", () => {
  it("calls a factory that was not called", () => {
    const factory = vi.fn((options: object) => ({ ...oidc, options }))
    expect(resolve(factory).id).toBe("oidc")
    expect(factory.mock.calls).toEqual([[{}]])
  })

  it("fills in defaults", () => {
    expect(resolve(oidc)).toMatchObject({
      clientId: "",
      authorization: { params: {} },
      token: {},
      userinfo: {},
      checks: ["pkce"],
      idToken: true,
      profile: defaultProfile,
      account: defaultAccount,
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
  ])("knows how the answer comes with response_mode %j", (response_mode, isFormPost, isJwtResponse) => {
    const params = response_mode === undefined ? {} : { response_mode }
    expect(resolve({ ...oauth, authorization: { params } })).toMatchObject({ isFormPost, isJwtResponse })
    const url = `https://idp.test/a?${new URLSearchParams(params)}`
    expect(resolve({ ...oauth, authorization: url })).toMatchObject({ isFormPost, isJwtResponse })
  })

  it("keeps how requests are pushed beside a URL with a query", () => {
    const authorization = { url: "https://idp.test/a?x=1", pushed: "https://idp.test/par" }
    expect(resolve({ ...oidc, authorization }).authorization).toMatchObject({
      pushed: authorization.pushed,
      params: { x: "1" },
    })
    expect(resolve(oidc).authorization).not.toHaveProperty("pushed")
  })

  it("reads the profile from the ID token of OpenID Connect alone, unless told otherwise", () => {
    expect(resolve(oauth).idToken).toBe(false)
    expect(resolve({ ...oidc, idToken: false }).idToken).toBe(false)
  })

  it("keeps the provider's own callbacks and checks", () => {
    const own = { profile: () => ({}), account: () => undefined, checks: ["state", "nonce"] } as const
    expect(resolve({ ...oidc, ...own })).toMatchObject(own)
  })

  it("takes the query of the authorization URL for parameters, which others overrule", () => {
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

  it("keeps a URL that cannot be read, for the mistake to be named", () => {
    expect(resolve({ ...oauth, authorization: "nothing" }).authorization).toEqual({ url: "nothing", params: {} })
  })
})

describe("a redirect proxy", () => {
  const proxy = "https://proxy.test/auth"

  it("adds the state check, once", () => {
    expect(resolve(oidc, proxy)).toMatchObject({ redirectProxyUrl: proxy, checks: ["pkce", "state"] })
    expect(resolve({ ...oidc, checks: ["state"] }, proxy).checks).toEqual(["state"])
  })

  it("of the provider wins", () => {
    expect(resolve({ ...oidc, redirectProxyUrl: "https://own.test" }, proxy).redirectProxyUrl).toBe("https://own.test")
    expect(resolve({ ...oidc, options: { redirectProxyUrl: "https://own.test" } }, proxy).redirectProxyUrl).toBe(
      "https://own.test",
    )
  })

  it("is not used by a provider that answers with a form", () => {
    const authorization = { params: { response_mode: "form_post" } }
    const resolved = resolve({ ...oidc, authorization, redirectProxyUrl: "https://own.test" }, proxy)
    expect(resolved).toMatchObject({ isFormPost: true, checks: ["pkce"] })
    expect(resolved).not.toHaveProperty("redirectProxyUrl")
    expect(resolve({ ...oauth, authorization: "https://idp.test/a?response_mode=form_post" }, proxy).isFormPost).toBe(
      true,
    )
  })

  it("is absent otherwise", () => {
    for (const none of [undefined, ""]) expect(resolve(oidc, none)).not.toHaveProperty("redirectProxyUrl")
    expect(resolve(oidc).checks).toEqual(["pkce"])
  })
})

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
  return validateConfig(resolveConfig(config, { isProduction: true }))?.message
}

describe("a rule for an option", () => {
  it("CONF-04: refuses a configuration that breaks it, with the option's path and without its value", () => {
    const message = messageOf({ ...harbour, options: { issuer: "c4n4ry" } })
    expect(message).toBe("providers.harbour.issuer: must be it")
  })

  it("CONF-04: names the variable where the option is missing", () => {
    expect(messageOf(harbour)).toBe("providers.harbour.issuer: must be it. You can also set AUTH_HARBOUR_ISSUER")
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

describe("defaultProfile", () => {
  it("OAU-39: gives no id to a profile that has none", () => {
    expect(defaultProfile({ email: "v@corp.test", name: "n" })).not.toHaveProperty("id")
  })

  it("prefers sub to id, and name to nickname and user name", () => {
    const names = { nickname: "ad", preferred_username: "ada1" }
    expect(defaultProfile({ sub: "s", id: "i", name: "Ada", ...names }).id).toBe("s")
    expect(defaultProfile({ id: "i", name: "Ada", ...names })).toMatchObject({ id: "i", name: "Ada" })
    expect(defaultProfile({ id: "i", ...names }).name).toBe("ad")
    expect(defaultProfile({ id: "i", preferred_username: "ada1" }).name).toBe("ada1")
  })

  it("takes a picture only where it is text", () => {
    expect(defaultProfile({ sub: "s", picture: "https://idp.test/a.png" }).image).toBe("https://idp.test/a.png")
    expect(defaultProfile({ sub: "s", picture: { data: { url: "x" } } }).image).toBeNull()
  })
})

describe("defaultAccount", () => {
  it("OAU-51: keeps the listed fields and nothing else", () => {
    const hostile: Record<string, unknown> = JSON.parse('{"access_token":"a","__proto__":{"x":1},"user_id":"7"}')
    expect(Object.keys(defaultAccount({ ...hostile, token_type: "bearer" }))).toEqual(["access_token", "token_type"])
  })

  it("leaves out what the provider did not send", () => {
    expect(defaultAccount({ access_token: "a", expires_at: 5 })).toEqual({ access_token: "a", expires_at: 5 })
  })
})
