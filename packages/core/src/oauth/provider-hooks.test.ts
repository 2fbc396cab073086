import { describe, expect, it } from "vitest"
import {
  accessToken,
  type CallbackChanges,
  clientSecret,
  complete,
  createFakeProvider,
  createSigningKey,
  type FakeProvider,
  flow,
  oauthProvider,
  oidcProvider,
  redirectUri,
  rejectionOf,
  tokenAnswer,
} from "../../test/setup/fake-provider.js"
import type { OAuth2Config, TokenRequestContext, UserinfoRequestContext } from "../types/oauth-provider.js"
import { buildAuthorizationUrl } from "./authorize.js"
import { createProviderEndpoints } from "./endpoints.js"

const authorize = async (fake: FakeProvider, authorization: OAuth2Config["authorization"] = {}): Promise<URL> => {
  const provider = oauthProvider(fake, { authorization: { url: `${fake.issuer}/authorize`, ...Object(authorization) } })
  const query = new URLSearchParams("client_key=evil")
  return buildAuthorizationUrl({ provider, redirectUri, query, state: "s" }, createProviderEndpoints({}))
}

describe("authorization.request", () => {
  it("changes the authorization URL last", async () => {
    const url = await authorize(await createFakeProvider(), {
      params: { scope: "a b" },
      request: ({ url, provider }) => {
        url.searchParams.delete("client_id")
        url.searchParams.set("client_key", String(provider.clientId))
        return url
      },
    })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ client_key: "rp", scope: "a b", state: "s" })
    expect(url.searchParams.has("client_id")).toBe(false)
  })

  it("fails the sign-in when it throws", async () => {
    const request = (): never => {
      throw new Error("no")
    }
    const error = await rejectionOf(authorize(await createFakeProvider(), { request }))
    expect(error).toMatchObject({ type: "OAuthSignInError" })
  })
})

describe("an authorization URL", () => {
  it("encodes spaces as %20, and keeps a plus sign and the endpoint's fragment", async () => {
    const fake = await createFakeProvider()
    const { href } = await authorize(fake, {
      url: `${fake.issuer}/authorize#top`,
      params: { scope: "a b", hint: "c+d" },
    })
    expect(href).toContain("scope=a%20b")
    expect(href).toContain("hint=c%2Bd")
    expect(href).toMatch(/#top$/)
  })
})

describe("authorization.conform", () => {
  const signIn = async (conform: Conform, changes: CallbackChanges = {}) => {
    const fake = await createFakeProvider()
    const authorization = { url: `${fake.issuer}/authorize`, conform }
    return { fake, work: complete(oauthProvider(fake, { authorization }), changes) }
  }
  type Conform = NonNullable<Exclude<OAuth2Config["authorization"], string | undefined>["conform"]>

  it("OAU-02: is not called before the state was compared", async () => {
    const asked: string[] = []
    const conform: Conform = ({ parameters }) => void asked.push(String(parameters))
    const { work } = await signIn(conform, { query: `code=${flow.code}&state=foreign` })
    expect(await rejectionOf(work)).toMatchObject({ type: "InvalidCheck" })
    expect(asked).toEqual([])
  })

  it("rejects the callback by throwing, before the token request", async () => {
    const { fake, work } = await signIn(() => {
      throw new Error("The signature is wrong")
    })
    expect(await rejectionOf(work)).toMatchObject({ type: "CallbackRouteError" })
    expect(fake.calls).toEqual([])
  })

  it("OAU-12: cannot add what a code response never has", async () => {
    const { work } = await signIn(({ parameters }) => {
      parameters.append("code", "other")
      return parameters
    })
    expect((await rejectionOf(work)).message).toMatch(/"code" more than once/)
  })

  it("may rename the code parameter", async () => {
    const query = `authCode=${flow.code}&state=${flow.state}`
    const { fake, work } = await signIn(
      ({ parameters }) => new URLSearchParams({ code: parameters.get("authCode") ?? "" }),
      { query },
    )
    await work
    expect(fake.calls.find(({ endpoint }) => endpoint === "token")?.form.get("code")).toBe(flow.code)
  })

  it("leaves the callback unchanged when it returns nothing", async () => {
    const { work } = await signIn(() => undefined)
    expect((await work).user.name).toBe("Ada")
  })

  it("may add the error that a provider omits", async () => {
    const { work } = await signIn(() => new URLSearchParams({ error: "access_denied" }), {
      query: `state=${flow.state}`,
    })
    expect(await rejectionOf(work)).toMatchObject({ type: "OAuthCallbackError" })
  })
})

describe("token.request", () => {
  const asJson = ({ url, headers, params, callback, provider }: TokenRequestContext): Promise<Response> => {
    headers.set("content-type", "application/json")
    const fields = { ...Object.fromEntries(params), device_id: callback.get("device_id") }
    return provider.fetch(url, { method: "POST", headers, body: JSON.stringify(fields) })
  }

  async function signIn(method: string, request = asJson) {
    const fake = await createFakeProvider()
    const provider = oauthProvider(fake, {
      token: { url: `${fake.issuer}/token`, params: { audience: "api" }, request },
      client: { token_endpoint_auth_method: method },
    })
    const work = complete(provider, { query: `code=${flow.code}&state=${flow.state}&device_id=d-1` })
    return { fake, work }
  }

  it("receives the form with the client's authentication, and the callback's parameters", async () => {
    const { fake, work } = await signIn("client_secret_post")
    await work
    const call = fake.calls.find(({ endpoint }) => endpoint === "token")
    expect(JSON.parse(String(call?.init.body))).toEqual({
      grant_type: "authorization_code",
      code: flow.code,
      redirect_uri: redirectUri,
      code_verifier: flow.codeVerifier,
      client_id: "rp",
      client_secret: clientSecret,
      audience: "api",
      device_id: "d-1",
    })
  })

  it("receives the client's authentication in the headers", async () => {
    const { fake, work } = await signIn("client_secret_basic")
    await work
    const call = fake.calls.find(({ endpoint }) => endpoint === "token")
    expect(call?.headers.get("authorization")).toBe(`Basic ${btoa(`rp:${clientSecret}`)}`)
  })

  it("OAU-46: cannot call a URL that the service itself would not call", async () => {
    const request = ({ provider }: TokenRequestContext) => provider.fetch("http://169.254.169.254/token")
    const { fake, work } = await signIn("client_secret_post", request)
    expect((await rejectionOf(work)).message).toMatch(/must be https/)
    expect(fake.calls).toEqual([])
  })

  it("OAU-40: has its response validated like any other", async () => {
    const { work } = await signIn("client_secret_post", async () => Response.json({ error: "invalid_grant" }))
    expect((await rejectionOf(work)).cause?.["err"]).toMatchObject({ error: "invalid_grant" })
  })

  it("must return a response", async () => {
    const nothing = (async () => undefined) as unknown as typeof asJson // As plain JavaScript could write.
    const { work } = await signIn("client_secret_post", nothing)
    expect(await rejectionOf(work)).toMatchObject({ type: "CallbackRouteError" })
  })
})

describe("userinfo.request", () => {
  it("receives the URL with its parameters, the whole token response and the callback", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer(undefined, { user_id: 7 })))
    const seen: UserinfoRequestContext[] = []
    const request = (context: UserinfoRequestContext) => {
      seen.push(context)
      return { id: "7" }
    }
    const userinfo = { url: `${fake.issuer}/userinfo`, params: { fields: "id,name" }, request }
    await complete(oauthProvider(fake, { userinfo }), { query: `code=c&state=${flow.state}&location=eu` })
    expect(seen[0]?.url?.href).toBe("https://idp.test/userinfo?fields=id%2Cname")
    expect(seen[0]?.tokens).toMatchObject({ access_token: accessToken, user_id: 7 })
    expect(seen[0]?.callback.get("location")).toBe("eu")
  })

  it("receives no URL if the provider has none", async () => {
    const fake = await createFakeProvider()
    const request = ({ url }: UserinfoRequestContext) => ({ id: String(url) })
    const error = await rejectionOf(complete(oauthProvider(fake, { userinfo: { request } })))
    expect(error).toMatchObject({ type: "OAuthProfileParseError" })
  })
})

describe("verifyJwt", () => {
  async function signIn(token: (fake: FakeProvider) => string | Promise<string>) {
    const fake = await createFakeProvider()
    const text = await token(fake)
    fake.answer("token", () => Response.json({ ...tokenAnswer(), access_token: text }))
    const provider = oauthProvider(fake, {
      issuer: fake.issuer,
      wellKnown: `${fake.issuer}/.well-known/openid-configuration`,
      userinfo: { request: async ({ tokens, verifyJwt }) => verifyJwt(String(tokens.access_token)) },
    })
    return complete(provider)
  }

  it.each<[string, (fake: FakeProvider) => string | Promise<string>]>([
    ["is not a JWT", () => "opaque"],
    ["another key signed", async (fake) => fake.sign(fake.claims(), {}, await createSigningKey("key-1"))],
    ["another issuer issued", (fake) => fake.sign(fake.claims({ iss: "https://evil.test" }))],
    ["is meant for another client", (fake) => fake.sign(fake.claims({ aud: ["other"] }))],
    ["has expired", (fake) => fake.sign(fake.claims({ exp: 1 }))],
    ["never expires", (fake) => fake.sign(fake.claims({ exp: undefined }))],
    ["has no issuer", (fake) => fake.sign(fake.claims({ iss: undefined }))],
    ["has no audience", (fake) => fake.sign(fake.claims({ aud: undefined }))],
    [
      "is signed by another algorithm",
      async (fake) => fake.sign(fake.claims(), {}, await createSigningKey("k", "ES256")),
    ],
    [
      "is not signed",
      (fake) => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(fake.claims()))}.`.replaceAll("=", ""),
    ],
  ])("OAU-22, OAU-24, OAU-31: rejects a token that %s", async (_, token) => {
    expect(await rejectionOf(signIn(token))).toMatchObject({ type: "CallbackRouteError" })
  })

  it("returns the claims of a token of this provider for this client and others", async () => {
    const { user, account } = await signIn((fake) => fake.sign(fake.claims({ aud: ["rp", "another"], sub: "pilot-1" })))
    expect(user.name).toBe("Ada")
    expect(account.providerAccountId).toBe("pilot-1")
  })
})

describe("idTokenAlgorithms", () => {
  it("OAU-30: accepts any of the listed algorithms, and no other", async () => {
    const fake = await createFakeProvider()
    const other = await createSigningKey("es-1", "ES256")
    fake.keys = [...fake.keys, other.publicJwk]
    fake.answerIdToken(await fake.sign(fake.claims(), {}, other))
    const both = oidcProvider(fake, { idTokenAlgorithms: ["RS256", "ES256"] })
    expect((await complete(both)).user.name).toBe("Ada")
    const one = oidcProvider(fake, { idTokenAlgorithms: ["RS256", "PS256"] })
    expect((await rejectionOf(complete(one))).message).toMatch(/signed with "ES256"/)
  })
})
