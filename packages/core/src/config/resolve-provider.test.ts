import { describe, expect, it, vi } from "vitest"
import { customFetch } from "../contract/markers.js"
import type { OAuth2Config, OIDCConfig } from "../contract/oauth-provider.js"
import type { Provider } from "../contract/provider.js"
import { defaultAccount, defaultProfile } from "./provider-callbacks.js"
import { resolveProvider } from "./resolve-provider.js"
import { isOAuth, type ResolvedOAuthProvider } from "./resolved-provider.js"

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
  if (!isOAuth(resolved)) throw new Error("Not an OAuth provider")
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
