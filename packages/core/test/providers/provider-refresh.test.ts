import type { AnyValue } from "@latchkey/types"
import { skipStateCheck, validateAuthResponse } from "oauth4webapi"
import { describe, expect, it } from "vitest"
import { toClient } from "../../src/oauth/client.js"
import { createProviderEndpoints } from "../../src/oauth/endpoints.js"
import { selectKept, splitRefreshToken } from "../../src/oauth/kept-parameters.js"
import { refreshTokens, revokeToken } from "../../src/oauth/refresh.js"
import { redeemCode } from "../../src/oauth/token.js"
import { Atlassian } from "../../src/providers/atlassian.js"
import { AzureDevOps } from "../../src/providers/azure-devops.js"
import { DingTalk } from "../../src/providers/dingtalk.js"
import { HubSpot } from "../../src/providers/hubspot.js"
import { Lark } from "../../src/providers/lark.js"
import { Notion } from "../../src/providers/notion.js"
import { Reddit } from "../../src/providers/reddit.js"
import { Strava } from "../../src/providers/strava.js"
import { TikTok } from "../../src/providers/tiktok.js"
import { Twitter } from "../../src/providers/twitter.js"
import { VK } from "../../src/providers/vk.js"
import { WeChat } from "../../src/providers/wechat.js"
import { Zoho } from "../../src/providers/zoho.js"
import { customFetch } from "../../src/types/basics.js"
import type { OAuth2Config, OAuthUserConfig } from "../../src/types/oauth-provider.js"
import { redirectUri, resolveOAuth } from "../setup/fake-provider.js"

interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly fields: Readonly<Record<string, unknown>>
}

const client = { clientId: "client-1", clientSecret: "secret-1" }
const standard = { access_token: "access-1", refresh_token: "refresh-1", token_type: "bearer", expires_in: 60 }

/** Signs in at a provider that answers every request with the same tokens, and records what it was sent. */
async function signIn(
  factory: (options: OAuthUserConfig<AnyValue>) => OAuth2Config<AnyValue>,
  { callback = "", answer = standard }: { readonly callback?: string; readonly answer?: object } = {},
) {
  const sent: SentRequest[] = []
  const record: typeof fetch = async (input, init) => {
    const text = init?.body === undefined || init.body === null ? "" : String(init.body)
    const url = new URL(String(input))
    const fields = text.startsWith("{") ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text || url.search))
    url.search = ""
    sent.push({ url: url.href, method: init?.method ?? "GET", headers: new Headers(init?.headers), fields })
    return Response.json(answer)
  }
  const provider = resolveOAuth(factory({ ...client, [customFetch]: record }))
  const endpoints = createProviderEndpoints({ clock: Date.now })
  const server = await endpoints.resolve(provider, ["token"])
  const context = { provider, server, endpoints }
  const parameters = new URLSearchParams(`code=code-1&${callback}`)
  const grant = { parameters, client: toClient(provider, Date.now), redirectUri, codeVerifier: "v".repeat(43) }
  // As the callback's validation returns them.
  const validated = validateAuthResponse(server.metadata, grant.client, parameters, skipStateCheck)
  const { tokens } = await redeemCode({ ...grant, parameters: validated }, context)
  const refreshToken = String(selectKept(provider, tokens, Date.now())?.refresh_token)
  return {
    tokens,
    refreshToken,
    async refresh(token = refreshToken) {
      const refreshed = await refreshTokens({ refreshToken: token, subject: undefined }, context)
      return { refreshed, request: sent.at(-1) }
    },
    async revoke(token = refreshToken) {
      const isRevoked = await revokeToken({ token, kind: "refresh_token" }, provider)
      return { isRevoked, request: sent.at(-1) }
    },
  }
}

describe("a refresh at a provider with a request of its own", () => {
  it("calls the client ID client_key for TikTok", async () => {
    const { request } = await (await signIn(TikTok)).refresh()
    expect(request).toMatchObject({ url: "https://open.tiktokapis.com/v2/oauth/token/", method: "POST" })
    expect(request?.fields).toEqual({
      client_key: "client-1",
      client_secret: "secret-1",
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
    })
  })

  it("uses the URL and the names of WeChat, without the secret", async () => {
    const { request } = await (await signIn(WeChat)).refresh()
    expect(request).toMatchObject({ url: "https://api.weixin.qq.com/sns/oauth2/refresh_token", method: "GET" })
    expect(request?.fields).toEqual({ appid: "client-1", grant_type: "refresh_token", refresh_token: "refresh-1" })
  })

  it.each([40030, 42002])("reads errcode %i of WeChat as an invalid refresh token", async (errcode) => {
    const conform = resolveOAuth(WeChat(client)).token.conform
    expect(await (await conform?.(Response.json({ errcode })))?.json()).toEqual({ error: "invalid_grant" })
  })

  it("sends JSON with the names of DingTalk", async () => {
    const answer = { accessToken: "access-1", refreshToken: "refresh-1", expireIn: 60 }
    const { request, refreshed } = await (await signIn(DingTalk, { answer })).refresh()
    expect(request?.fields).toEqual({
      clientId: "client-1",
      clientSecret: "secret-1",
      grantType: "refresh_token",
      refreshToken: "refresh-1",
    })
    expect(refreshed).toMatchObject({ access_token: "access-1", refresh_token: "refresh-1" })
  })

  it("sends JSON for Lark", async () => {
    const { request } = await (await signIn(Lark)).refresh()
    expect(request?.headers.get("content-type")).toMatch("application/json")
    expect(request?.fields).toEqual({
      client_id: "client-1",
      client_secret: "secret-1",
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
    })
  })

  it("sends JSON and the version for Notion, without the redirect URI", async () => {
    const { request } = await (await signIn((options) => Notion({ ...options, redirectUri }))).refresh()
    expect(request?.headers.get("notion-version")).toMatch(/^\d{4}-/)
    expect(request?.headers.get("authorization")).toMatch(/^Basic /)
    expect(request?.fields).toEqual({ grant_type: "refresh_token", refresh_token: "refresh-1" })
  })

  it("names the app in the user agent for Reddit", async () => {
    const { request } = await (await signIn(Reddit)).refresh()
    expect(request?.headers.get("user-agent")).toBe("web:client-1:latchkey")
    expect(request?.headers.get("authorization")).toMatch(/^Basic /)
    expect(request?.fields).toEqual({ grant_type: "refresh_token", refresh_token: "refresh-1" })
  })

  it("sends the device ID of the sign-in for VK, also for the next refresh token", async () => {
    const { refresh, tokens } = await signIn(VK, { callback: "device_id=device%267" })
    const { request, refreshed } = await refresh()
    expect(request?.fields).toMatchObject({ refresh_token: "refresh-1", device_id: "device&7", client_id: "client-1" })
    expect((await refresh(String(refreshed.refresh_token))).request?.fields).toEqual(request?.fields)
    expect(tokens).toMatchObject({ refresh_token: "refresh-1", device_id: "device&7" })
  })

  it("asks the data center of the sign-in for Zoho", async () => {
    const { request } = await (await signIn(Zoho, { callback: "location=eu" })).refresh()
    expect(request?.url).toBe("https://accounts.zoho.eu/oauth/v2/token")
    expect(request?.fields).toEqual({ grant_type: "refresh_token", refresh_token: "refresh-1" })
  })

  it("asks the default data center of Zoho for a refresh token that was kept before", async () => {
    const { request } = await (await signIn(Zoho, { callback: "location=eu" })).refresh("refresh-0")
    expect([request?.url, request?.fields["refresh_token"]]).toEqual([
      "https://accounts.zoho.com/oauth/v2/token",
      "refresh-0",
    ])
  })

  it("sends the refresh token as the assertion, and the redirect URI of the sign-in, for Azure DevOps", async () => {
    const { request } = await (await signIn(AzureDevOps)).refresh()
    expect(request?.fields).toEqual({
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: "secret-1",
      grant_type: "refresh_token",
      assertion: "refresh-1",
      redirect_uri: redirectUri,
    })
  })
})

describe("a vendor's own error for a token or code that is not valid", () => {
  const strava = (resource: string) => ({
    message: "Bad Request",
    errors: [{ resource, field: "code", code: "invalid" }],
  })
  it.each([
    ["Atlassian", Atlassian, 403, { error: "unauthorized_client", error_description: "refresh_token is invalid" }],
    ["X", Twitter, 400, { error: "invalid_request", error_description: "Value passed for the token was invalid." }],
    ["Zoho", Zoho, 200, { error: "invalid_code" }],
    ["HubSpot", HubSpot, 400, { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" }],
    ["HubSpot", HubSpot, 400, { status: "BAD_AUTH_CODE", message: "missing or unknown auth code" }],
    ["Strava", Strava, 400, strava("RefreshToken")],
    ["Strava", Strava, 400, strava("AuthorizationCode")],
  ])("of %s is read as invalid_grant", async (_, factory, status, body) => {
    const { conform } = resolveOAuth(factory(client)).token
    const fixed = await conform?.(Response.json(body, { status }))
    expect([fixed?.status, await fixed?.json()]).toEqual([400, { error: "invalid_grant" }])
  })

  it.each([
    ["Atlassian", Atlassian, 403, { error: "unauthorized_client", error_description: "client is invalid" }],
    ["X", Twitter, 400, { error: "invalid_request", error_description: "Missing required parameter [grant_type]." }],
    ["Zoho", Zoho, 200, { error: "invalid_client" }],
    ["HubSpot", HubSpot, 400, { status: "BAD_CLIENT_ID", message: "missing or invalid client id" }],
    ["Strava", Strava, 400, strava("Application")],
    ["Strava", Strava, 200, standard],
    ["Strava", Strava, 502, null],
  ])("is no other answer of %s", async (_, factory, status, body) => {
    const { conform } = resolveOAuth(factory(client)).token
    const fixed = await conform?.(Response.json(body, { status }))
    if (fixed) expect([fixed.status, await fixed.json()]).toEqual([status, body])
  })
})

describe("a revocation at a provider with a request of its own", () => {
  it.each([
    ["TikTok", TikTok, "https://open.tiktokapis.com/v2/oauth/revoke/", ["client_key", "client_secret"]],
    ["Notion", Notion, "https://api.notion.com/v1/oauth/revoke", []],
    ["Zoho", Zoho, "https://accounts.zoho.in/oauth/v2/token/revoke", ["token_type_hint"]],
    ["Reddit", Reddit, "https://www.reddit.com/api/v1/revoke_token", ["token_type_hint"]],
  ])("sends what %s expects", async (_, factory, url, fields) => {
    const { isRevoked, request } = await (await signIn(factory, { callback: "location=in" })).revoke()
    expect([isRevoked, request?.url, request?.fields["token"]]).toEqual([true, url, "refresh-1"])
    expect(Object.keys(request?.fields ?? {})).toEqual(expect.arrayContaining(["token", ...fields]))
    expect(request?.fields).not.toHaveProperty("client_id")
  })
})

describe("a kept refresh token", () => {
  it("holds what a refresh needs only for providers that need it", async () => {
    const { refreshToken } = await signIn(VK, { callback: "device_id=d" })
    expect(refreshToken).toBe("refresh-1\ndevice_id=d")
    expect(splitRefreshToken(refreshToken).refreshToken).toBe("refresh-1")
    expect((await signIn(TikTok, { callback: "device_id=d" })).refreshToken).toBe("refresh-1")
  })

  it("holds no parameter that the callback did not have", async () => {
    expect((await signIn(Zoho)).refreshToken).toBe("refresh-1")
  })
})
