import { AzureDevOps } from "@latchkey/core/providers/azure-devops"
import { BattleNet } from "@latchkey/core/providers/battlenet"
import { Descope } from "@latchkey/core/providers/descope"
import { Foursquare } from "@latchkey/core/providers/foursquare"
import { Frontegg } from "@latchkey/core/providers/frontegg"
import { GitLab } from "@latchkey/core/providers/gitlab"
import { Mailgun } from "@latchkey/core/providers/mailgun"
import { Mattermost } from "@latchkey/core/providers/mattermost"
import { Notion } from "@latchkey/core/providers/notion"
import { UnitedEffects } from "@latchkey/core/providers/united-effects"
import { WorkOS } from "@latchkey/core/providers/workos"
import type { AnyValue, OAuthConfig } from "@latchkey/core/types"
import { type MemoryAdapter, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { setEnvDefaults } from "../../src/config/env.js"
import { findDefect, resolveProvider } from "../../src/config/providers.js"
import { customFetch } from "../../src/types/basics.js"
import type { ResolvedOAuthProvider } from "../../src/types/resolved.js"
import { openHost } from "../setup/hosts.js"
import { post } from "../setup/requests.js"

// Options that the factories of Auth.js have. Each of them must have its effect.

const app = { clientId: "rp", clientSecret: "secret" }

function resolve(provider: OAuthConfig<AnyValue>): ResolvedOAuthProvider {
  return resolveProvider(provider, undefined) as ResolvedOAuthProvider
}

/** Where a sign-in with the provider begins. */
async function startOf(provider: OAuthConfig<AnyValue>): Promise<URL> {
  const host = openHost({ providers: [provider] })
  const { location } = await post(host.browser, `/auth/signin/${provider.id}`)
  return new URL(location ?? "missing:")
}

describe("options of single providers", () => {
  it("WorkOS: connection selects the identity provider", async () => {
    expect((await startOf(WorkOS({ ...app, connection: "conn_1" }))).searchParams.get("connection")).toBe("conn_1")
    expect((await startOf(WorkOS(app))).searchParams.has("connection")).toBe(false)
  })

  it("Foursquare: apiVersion selects the version of the profile", () => {
    expect(resolve(Foursquare({ ...app, apiVersion: "20250101" })).userinfo.params).toEqual({ v: "20250101" })
    expect(resolve(Foursquare(app)).userinfo.params).toEqual({ v: "20230131" })
  })

  it("Azure DevOps: scope is requested", async () => {
    const url = await startOf(AzureDevOps({ ...app, scope: "vso.profile vso.work" }))
    expect(url.searchParams.get("scope")).toBe("vso.profile vso.work")
  })

  it("Notion: redirectUri is sent in both requests", async () => {
    const redirectUri = "https://public.test/auth/callback/notion"
    const sent: string[] = []
    const call: typeof fetch = async (_, init) => {
      sent.push(String(init?.body))
      return Response.json({ error: "invalid_grant" }, { status: 400 })
    }
    const host = openHost({ providers: [Notion({ ...app, redirectUri, [customFetch]: call })] })
    const { location } = await post(host.browser, "/auth/signin/notion")
    const begun = new URL(location ?? "missing:")
    expect(begun.searchParams.get("redirect_uri")).toBe(redirectUri)
    await host.browser.open(`/auth/callback/notion?code=c&state=${begun.searchParams.get("state")}`)
    expect(sent.map((body) => JSON.parse(body))).toMatchObject([{ code: "c", redirect_uri: redirectUri }])
  })

  it.each(["https://us.battle.net/oauth", "https://eu.battle.net/oauth", "https://kr.battle.net/oauth"])(
    "Battle.net: the former issuer %s becomes the present one",
    (issuer) => {
      expect(resolve(BattleNet({ ...app, issuer })).issuer).toBe("https://oauth.battle.net")
    },
  )

  it("Battle.net: the former issuer of China becomes the present one", () => {
    const issuer = "https://www.battlenet.com.cn/oauth"
    expect(resolve(BattleNet({ ...app, issuer })).issuer).toBe("https://oauth.battlenet.com.cn")
  })

  it.each(["EU", "eu"] as const)("Mailgun: mail goes to the region %s", async (region) => {
    const urls: string[] = []
    const call: typeof fetch = async (url) => {
      urls.push(String(url))
      return Response.json({})
    }
    const adapter: MemoryAdapter = memoryAdapter()
    const provider = Mailgun({ apiKey: "key-1", from: "a@mg.test", region, [customFetch]: call })
    const host = openHost({ providers: [provider], adapter })
    await post(host.browser, "/auth/signin/mailgun", { email: "ada@corp.test" })
    expect(urls).toEqual(["https://api.eu.mailgun.net/v3/mg.test/messages"])
  })

  it("Mailgun: another region is a defect", () => {
    expect(findDefect(resolveProvider(Mailgun({ apiKey: "k", region: "mars" as "eu" }), undefined))?.message).toMatch(
      "providers.mailgun.region: must be one of us, eu, US, EU",
    )
  })
})

describe("fields that an app writes over a factory's result", () => {
  it("win over derived endpoints, and keep the rest of the endpoint", () => {
    const provider = resolve({
      ...GitLab({ baseUrl: "https://git.test" }),
      token: "https://own.test/token",
      userinfo: { url: new URL("https://own.test/me") },
    })
    expect([provider.token.url, String(provider.userinfo.url)]).toEqual([
      "https://own.test/token",
      "https://own.test/me",
    ])
    expect(String(provider.authorization.url)).toBe("https://git.test/oauth/authorize")
    expect(provider.authorization.params).toEqual({ scope: "read_user" })
  })

  it.each([
    ["wellKnown", Frontegg, "https://own.test/.well-known/x"],
    ["jwks_endpoint", Descope, "https://own.test/jwks"],
    ["token", Mattermost, "https://own.test/token"],
    ["authorization", UnitedEffects, "https://own.test/authorize"],
  ] as const)("win over what the provider derives for %s", (field, create, url) => {
    const provider = { ...create({ ...app, issuer: "https://idp.test" }), [field]: url }
    const value: unknown = Reflect.get(resolve(provider as OAuthConfig<AnyValue>), field)
    const { url: endpoint = value }: { readonly url?: unknown } = Object(value)
    expect(String(endpoint)).toBe(url)
  })
})

describe("GitLab", () => {
  const tokenUrl = (provider: OAuthConfig<AnyValue>) => String(resolve(provider).token.url)

  it.each(["https://git.test", "https://git.test/", new URL("https://git.test")])("uses the baseUrl %s", (baseUrl) => {
    expect(tokenUrl(GitLab({ ...app, baseUrl }))).toBe("https://git.test/oauth/token")
  })

  it("prefers baseUrl to an issuer, from the options or the environment", () => {
    expect(tokenUrl(GitLab({ baseUrl: "https://git.test", issuer: "https://other.test" }))).toMatch(
      /^https:\/\/git\.test/,
    )
    const config = { providers: [GitLab({ baseUrl: "https://git.test" })] }
    setEnvDefaults({ AUTH_GITLAB_ISSUER: "https://other.test" }, config)
    expect(config.providers.map(tokenUrl)).toEqual(["https://git.test/oauth/token"])
  })

  it("uses the issuer without a baseUrl", () => {
    expect(tokenUrl(GitLab({ issuer: "https://git.test" }))).toBe("https://git.test/oauth/token")
    expect(tokenUrl(GitLab())).toBe("https://gitlab.com/oauth/token")
  })
})
