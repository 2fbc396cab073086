import { describe, expect, it } from "vitest"
import {
  clientSecret,
  createFakeProvider,
  createSigningKey,
  type FakeProvider,
  oauthProvider,
  oidcProvider,
  tokenAnswer,
} from "../../test/setup/fake-provider.js"
import { customFetch } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { createProviderEndpoints } from "./endpoints.js"
import { refreshTokens } from "./refresh.js"

async function refresh(
  provider: ResolvedOAuthProvider,
  grant: Partial<Parameters<typeof refreshTokens>[0]> = {},
  clock: () => number = Date.now,
) {
  const endpoints = createProviderEndpoints({ clock })
  const server = await endpoints.resolve(provider, ["token"])
  return refreshTokens({ refreshToken: "refresh-1", subject: "subject-1", ...grant }, { provider, server, endpoints })
}

/** The claims of an ID token that a refresh returned, which repeats no nonce. */
function refreshed(fake: FakeProvider, changes: Record<string, unknown> = {}) {
  const { nonce: _, ...claims } = fake.claims(changes)
  return claims
}

describe("refreshing tokens", () => {
  it("KEEP-06: rejects an ID token that names another user", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(refreshed(fake, { sub: "subject-2" })))
    await expect(refresh(oidcProvider(fake))).rejects.toMatchObject({ code: "subject" })
  })

  it.each([
    [
      "the key of someone else",
      async (fake: FakeProvider) => fake.sign(refreshed(fake), {}, await createSigningKey("key-1")),
    ],
    ["another issuer", (fake: FakeProvider) => fake.sign(refreshed(fake, { iss: "https://evil.test" }))],
    ["another audience", (fake: FakeProvider) => fake.sign(refreshed(fake, { aud: "other" }))],
    ["an expiry in the past", (fake: FakeProvider) => fake.sign(refreshed(fake, { exp: 1 }))],
  ])("KEEP-06: rejects an ID token with %s", async (_, sign) => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await sign(fake))
    await expect(refresh(oidcProvider(fake))).rejects.toThrow()
  })

  it("KEEP-06: drops an ID token if the first one is unknown", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(refreshed(fake)))
    expect(await refresh(oidcProvider(fake), { subject: undefined })).not.toHaveProperty("id_token")
  })

  it("KEEP-01: ends the request when its caller has given up", async () => {
    const fake = await createFakeProvider()
    const caller = new AbortController()
    const given = oidcProvider(fake)
    const silent: typeof fetch = (input, init) =>
      String(input).endsWith("/token")
        ? new Promise((_resolve, reject) => {
            init?.signal?.addEventListener("abort", () => reject(new Error("ended by its caller")))
            caller.abort()
          })
        : (given[customFetch] ?? fetch)(input, init)
    const provider = { ...given, [customFetch]: silent }
    await expect(refresh(provider, { signal: caller.signal })).rejects.toThrow("cannot be reached")
    expect(caller.signal.aborted).toBe(true)
  })

  it("returns the new tokens and when the access token expires", async () => {
    const fake = await createFakeProvider()
    const idToken = await fake.sign(refreshed(fake))
    fake.answerIdToken(idToken, { access_token: "access-2", refresh_token: "refresh-2", scope: "a b" })
    const now = Date.now()
    expect(await refresh(oidcProvider(fake), {}, () => now)).toEqual({
      access_token: "access-2",
      refresh_token: "refresh-2",
      id_token: idToken,
      scope: "a b",
      token_type: "bearer",
      expires_in: 3600,
      expires_at: Math.floor(now / 1000) + 3600,
    })
  })

  it("sends the refresh token with the client's authentication, and nothing else", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer()))
    await refresh(oauthProvider(fake))
    const [call] = fake.calls.filter(({ endpoint }) => endpoint === "token")
    expect(Object.fromEntries(call?.form ?? [])).toEqual({ grant_type: "refresh_token", refresh_token: "refresh-1" })
    expect(call?.headers.get("authorization")).toMatch(/^Basic /)
  })

  it("sends the provider's token.params", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer()))
    await refresh(oauthProvider(fake, { token: { url: `${fake.issuer}/token`, params: { resource: "urn:api" } } }))
    expect(fake.calls.at(-1)?.form.get("resource")).toBe("urn:api")
  })

  it("lets the provider's token.request make the call, with the caller's deadline", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer(undefined, { access_token: "access-2" })))
    const grants: (string | null)[] = []
    const url = `${fake.issuer}/token`
    const provider = oauthProvider(fake, {
      token: {
        url,
        request({ params, headers, callback, provider: own }) {
          grants.push(params.get("grant_type"), params.get("refresh_token"), String(callback))
          headers.set("x-own", "1")
          return own.fetch(url, { method: "POST", headers, body: params })
        },
      },
    })
    const caller = new AbortController()
    expect(await refresh(provider, { signal: caller.signal })).toMatchObject({ access_token: "access-2" })
    expect(grants).toEqual(["refresh_token", "refresh-1", ""])
    const [call] = fake.calls
    caller.abort()
    expect([call?.headers.get("x-own"), call?.init.signal?.aborted]).toEqual(["1", true])
  })

  it.each([
    ["invalid_grant", 400],
    ["invalid_client", 401],
    ["temporarily_unavailable", 503],
  ])("KEEP-09: reports the error %s without the tokens", async (error, status) => {
    const fake = await createFakeProvider()
    fake.answer("token", () =>
      Response.json({ error, error_description: `refresh-1 of ${clientSecret} is used` }, { status }),
    )
    const failure = await refresh(oauthProvider(fake)).catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ error, status, endpoint: "token" })
    expect(JSON.stringify(failure) + String(failure)).not.toMatch(/refresh-1|client-secret-of/)
  })
})
