import { describe, expect, it } from "vitest"
import {
  complete,
  createFakeProvider,
  oauthProvider,
  oidcProvider,
  rejectionOf,
  tokenAnswer,
} from "../../test/setup/fake-provider.js"

const json = { "content-type": "application/json" }

describe("the token response", () => {
  it.each<[string, () => Response]>([
    ["HTML", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["a list", () => new Response("[]", { headers: json })],
    ["a missing access token", () => Response.json({ token_type: "bearer" })],
    ["null for an access token", () => Response.json(tokenAnswer(undefined, { access_token: null }))],
    ["no token type", () => Response.json({ access_token: "a" })],
    ["an unknown token type", () => Response.json(tokenAnswer(undefined, { token_type: "N_A" }))],
    ["a DPoP token, which is bound to a key", () => Response.json(tokenAnswer(undefined, { token_type: "DPoP" }))],
    ["a negative lifetime", () => Response.json(tokenAnswer(undefined, { expires_in: "-5" }))],
    [
      "an endless lifetime",
      () => new Response('{"access_token":"a","token_type":"bearer","expires_in":1e309}', { headers: json }),
    ],
    ["a lifetime in words", () => Response.json(tokenAnswer(undefined, { expires_in: "abc" }))],
    ["a list of scopes", () => Response.json(tokenAnswer(undefined, { scope: ["a"] }))],
    ["status 201", () => Response.json(tokenAnswer(), { status: 201 })],
    ["an error", () => Response.json({ error: "invalid_grant" }, { status: 400 })],
    ["an error with status 200", () => Response.json({ ...tokenAnswer(), error: "bad_verification_code" })],
  ])("OAU-40: is rejected with %s", async (_, answer) => {
    const fake = await createFakeProvider()
    fake.answer("token", answer)
    expect(await rejectionOf(complete(oauthProvider(fake)))).toMatchObject({ type: "CallbackRouteError" })
    expect(fake.hits("userinfo")).toBe(0)
  })

  it.each([
    ["no token type", { token_type: undefined }],
    ["an empty refresh token", { refresh_token: "" }],
    ["a negative lifetime", { expires_in: -1 }],
    ["a list of scopes", { scope: ["a"] }],
  ])("names the hook that repairs %s", async (_, changes) => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer(undefined, changes)))
    const { message } = await rejectionOf(complete(oauthProvider(fake)))
    expect(message).toContain("Repair this one in providers.oauth.token.conform")
  })

  it("OAU-41: may name the token type in any case", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json(tokenAnswer(undefined, { token_type: "BEARER" })))
    expect((await complete(oauthProvider(fake))).account.token_type).toBe("bearer")
  })

  it("may have nulls, a lifetime of zero or as text, and any media type", async () => {
    const fake = await createFakeProvider()
    const body = JSON.stringify(tokenAnswer(undefined, { scope: null, refresh_token: null, expires_in: "3600" }))
    fake.answer("token", () => new Response(body, { headers: { "content-type": "text/plain" } }))
    const { tokens } = await complete(oauthProvider(fake), { clock: () => 1_000_500 })
    expect(tokens).toMatchObject({ expires_in: 3600, expires_at: 4600 })
    expect(tokens).not.toHaveProperty("scope")
    fake.answer("token", () => Response.json(tokenAnswer(undefined, { expires_in: 0 })))
    expect((await complete(oauthProvider(fake), { clock: () => 1_000_500 })).tokens.expires_at).toBe(1000)
  })

  it("has no expires_at without a lifetime", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json({ access_token: "a", token_type: "bearer" }))
    expect((await complete(oauthProvider(fake))).account).not.toHaveProperty("expires_at")
  })

  it("keeps the provider's own expires_at if it is a number", async () => {
    const fake = await createFakeProvider()
    const answer = (expires_at: unknown) =>
      fake.answer("token", () => Response.json({ access_token: "a", token_type: "bearer", expires_at }))
    answer(1_800_000_000)
    expect((await complete(oauthProvider(fake))).account.expires_at).toBe(1_800_000_000)
    answer("tomorrow")
    expect((await complete(oauthProvider(fake))).account).not.toHaveProperty("expires_at")
  })

  it("OAU-51: cannot set a prototype, or the provider, account or user", async () => {
    const fake = await createFakeProvider()
    const hostile = '{"access_token":"a","token_type":"bearer","__proto__":{"polluted":true},"constructor":1,'
    const claimed = '"provider":"x","type":"email","providerAccountId":"victim","userId":"u-v"}'
    fake.answer("token", () => new Response(hostile + claimed, { headers: json }))
    const { account } = await complete(oauthProvider(fake))
    expect(account).toMatchObject({ provider: "oauth", type: "oauth", providerAccountId: "subject-1" })
    expect(Object.keys(account)).not.toEqual(expect.arrayContaining(["userId"]))
    expect(Object.hasOwn(account, "__proto__") || Object.hasOwn(account, "constructor")).toBe(false)
    expect(account).not.toHaveProperty("polluted")
  })

  it("may have an ID token from a plain OAuth provider, which is kept unverified", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken("not.a.token")
    const { account } = await complete(oauthProvider(fake))
    expect(account).toMatchObject({ providerAccountId: "subject-1", id_token: "not.a.token" })
  })

  it("is first fixed by the provider's conform hook", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json({ data: tokenAnswer() }))
    const conform = async (response: Response) => Response.json((await response.json()).data)
    expect(await complete(oauthProvider(fake, { token: { url: `${fake.issuer}/token`, conform } }))).toBeDefined()
  })

  it("is unchanged when conform returns nothing", async () => {
    const fake = await createFakeProvider()
    const conform = async (response: Response) => {
      await response.text()
      return undefined
    }
    expect(await complete(oidcProvider(fake, { token: { conform } }))).toBeDefined()
  })
})
