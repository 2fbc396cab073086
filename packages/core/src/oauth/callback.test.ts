import { inspect } from "node:util"
import { exportJWK, generateKeyPair, importJWK, jwtVerify } from "jose"
import { describe, expect, it } from "vitest"
import {
  accessToken,
  clientSecret,
  complete,
  createFakeProvider,
  flow,
  oauthProvider,
  oidcProvider,
  redirectUri,
  rejectionOf,
} from "../../test/setup/fake-provider.js"

describe("completeAuthorization: the callback's parameters", () => {
  it.each([
    ["OAU-01: rejects a callback without state", `code=${flow.code}`],
    ["OAU-02: rejects a state that differs in one character", `code=${flow.code}&state=state-77ab`],
    ["OAU-02: rejects two states", `code=${flow.code}&state=${flow.state}&state=other`],
    ["OAU-21: rejects an error without state", "error=access_denied"],
    ["OAU-21: rejects an error with another state", "error=access_denied&state=other"],
  ])("%s, and sends no request", async (_, query) => {
    const fake = await createFakeProvider()
    expect(await rejectionOf(complete(oidcProvider(fake), { query }))).toMatchObject({ type: "InvalidCheck" })
    expect(fake.calls).toHaveLength(0)
  })

  it.each([
    ["pkce", { state: flow.state, nonce: flow.nonce }],
    ["state", { codeVerifier: flow.codeVerifier, nonce: flow.nonce }],
    ["nonce", { codeVerifier: flow.codeVerifier, state: flow.state }],
  ])("OAU-07: rejects a callback without the %s cookie, before the token request", async (_, expected) => {
    const fake = await createFakeProvider()
    const error = await rejectionOf(complete(oidcProvider(fake), { expected }))
    expect(error).toMatchObject({ type: "InvalidCheck" })
    expect(fake.calls).toHaveLength(0)
  })

  it.each([
    ["OAU-12: rejects two codes", "code=a&code=b"],
    ["OAU-12: rejects two issuers", "code=a&iss=i&iss=j"],
    ["OAU-13: rejects tokens in the callback", "access_token=secret-x&id_token=secret-y"],
    ["OAU-13: rejects an access token beside a code", "code=a&access_token=secret-x"],
    ["OAU-13: rejects an ID token beside a code", "code=a&id_token=secret-y"],
    ["OAU-14: rejects a response packed into a token", "response=secret-x.y.z"],
    ["rejects a callback without a code", "session_state=x"],
    ["OAU-15: rejects another issuer", "code=a&iss=https%3A%2F%2Fevil.test"],
  ])("%s", async (_, query) => {
    const fake = await createFakeProvider()
    const error = await rejectionOf(complete(oidcProvider(fake), { query: `${query}&state=${flow.state}` }))
    expect(error).toMatchObject({ type: "CallbackRouteError", cause: { provider: "oidc" } })
    expect(fake.hits("token")).toBe(0)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret-[xy]/)
  })

  it("OAU-12: treats an error beside a code as an error", async () => {
    const fake = await createFakeProvider()
    const error = await rejectionOf(complete(oidcProvider(fake), { query: `error=x&code=a&state=${flow.state}` }))
    expect(error).toMatchObject({ type: "OAuthCallbackError" })
    expect(fake.hits("token")).toBe(0)
  })

  it("OAU-15: rejects another issuer when the endpoints are configured", async () => {
    const fake = await createFakeProvider()
    const provider = oauthProvider(fake, { issuer: fake.issuer })
    const query = `code=a&state=${flow.state}&iss=https://evil.test`
    expect(await rejectionOf(complete(provider, { query }))).toMatchObject({ type: "CallbackRouteError" })
    expect(fake.calls).toHaveLength(0)
    expect(await complete(provider, { query: `code=a&state=${flow.state}&iss=${fake.issuer}` })).toBeDefined()
  })

  it("accepts an issuer that the metadata does not promise, and ignores it without a known issuer", async () => {
    const fake = await createFakeProvider()
    const query = `code=${flow.code}&state=${flow.state}&iss=${fake.issuer}&hd=unknown`
    expect(await complete(oidcProvider(fake), { query })).toBeDefined()
    expect(await complete(oauthProvider(fake), { query })).toBeDefined()
  })

  it.each(["", "&iss="])(
    "OAU-16: rejects a callback without the issuer that the metadata promises (%s)",
    async (iss) => {
      const fake = await createFakeProvider()
      fake.metadata = { ...fake.metadata, authorization_response_iss_parameter_supported: true }
      const error = await rejectionOf(complete(oidcProvider(fake), { query: `code=a&state=${flow.state}${iss}` }))
      expect(error).toMatchObject({ type: "CallbackRouteError" })
      expect(fake.hits("token")).toBe(0)
    },
  )

  it("reports the provider's error even if the promised issuer is missing", async () => {
    const fake = await createFakeProvider()
    fake.metadata = { ...fake.metadata, authorization_response_iss_parameter_supported: true }
    const error = await rejectionOf(complete(oidcProvider(fake), { query: `error=access_denied&state=${flow.state}` }))
    expect(error).toMatchObject({ type: "OAuthCallbackError", cause: { error: "access_denied", provider: "oidc" } })
  })

  it("OAU-20: reports the provider's error with an encoded description", async () => {
    const fake = await createFakeProvider()
    const query = `error=access_denied&error_description=${encodeURIComponent("<script>x</script>")}&state=${flow.state}`
    const error = await rejectionOf(complete(oidcProvider(fake), { query }))
    expect(error).toMatchObject({ type: "OAuthCallbackError", kind: "signIn" })
    expect(error.cause?.["error_description"]).toBe("\\u{3c}script\\u{3e}x\\u{3c}/script\\u{3e}")
  })

  it("LOG-04: escapes line breaks in a description, and truncates it", async () => {
    const fake = await createFakeProvider()
    const query = `error=x%0a[auth]&error_description=x%0a[auth]%20fake${"y".repeat(5000)}&state=${flow.state}`
    const error = await rejectionOf(complete(oidcProvider(fake), { query }))
    expect(error.message).toMatch(/^The provider answered "x\\u\{a\}\[auth\]": x\\u\{a\}\[auth\] fakey+\.\.$/)
    expect(String(error.cause?.["error_description"])).toMatch(/^x\\u\{a\}\[auth\] fakey+\.\.\.$/)
    expect(String(error.cause?.["error_description"]).length).toBeLessThan(300)
  })
})

describe("completeAuthorization: the token request", () => {
  it("OAU-49: sends the code once, to the issuer's endpoint, with the redirect URI and the verifier", async () => {
    const fake = await createFakeProvider()
    await complete(oidcProvider(fake, { token: { params: { audience: "api", grant_type: "evil", code: "evil" } } }))
    expect(fake.hits("token")).toBe(1)
    const call = fake.calls.find(({ endpoint }) => endpoint === "token")
    expect(call?.url).toBe("https://idp.test/token")
    expect(Object.fromEntries(call?.form ?? [])).toEqual({
      audience: "api",
      grant_type: "authorization_code",
      code: flow.code,
      redirect_uri: redirectUri,
      code_verifier: flow.codeVerifier,
    })
  })

  it("sends no code verifier without the pkce check", async () => {
    const fake = await createFakeProvider()
    await complete(oidcProvider(fake, { checks: ["nonce"] }), { expected: { nonce: flow.nonce } })
    expect(fake.calls.find(({ endpoint }) => endpoint === "token")?.form.has("code_verifier")).toBe(false)
  })

  it("OAU-47: form-encodes id and secret in the Basic header, and sends them only there", async () => {
    const fake = await createFakeProvider()
    const provider = oauthProvider(fake, { clientId: "a:b c-d", clientSecret: "p%&+é" })
    await complete(provider)
    const [call] = fake.calls
    expect(atob(call?.headers.get("authorization")?.replace("Basic ", "") ?? "")).toBe("a%3Ab+c-d:p%25%26%2B%C3%A9")
    expect(call?.form.has("client_secret")).toBe(false)
    expect(call?.url).not.toContain("p%25")
  })

  it("authenticates in the form with client_secret_post, and with only the id with none", async () => {
    const fake = await createFakeProvider()
    await complete(oauthProvider(fake, { client: { token_endpoint_auth_method: "client_secret_post" } }))
    await complete(oauthProvider(fake, { client: { token_endpoint_auth_method: "none" } }))
    const [posted, open] = fake.calls.filter(({ endpoint }) => endpoint === "token")
    expect(posted?.form.get("client_secret")).toBe(clientSecret)
    expect(open?.form.get("client_id")).toBe("rp")
    expect(open?.form.has("client_secret")).toBe(false)
    expect([posted, open].map((call) => call?.headers.get("authorization"))).toEqual([null, null])
  })

  it("OAU-48: signs an assertion for the issuer with private_key_jwt", async () => {
    const fake = await createFakeProvider()
    const { privateKey, publicKey } = await generateKeyPair("ES256")
    const provider = oidcProvider(fake, {
      client: { token_endpoint_auth_method: "private_key_jwt" },
      token: { clientPrivateKey: { key: privateKey, kid: "k" } },
    })
    await complete(provider)
    await complete(provider)
    const calls = fake.calls.filter(({ endpoint }) => endpoint === "token")
    const assertions = await Promise.all(
      calls.map(({ form }) =>
        jwtVerify(form.get("client_assertion") ?? "", publicKey, { subject: "rp", issuer: "rp" }),
      ),
    )
    expect(assertions[0]?.payload.aud).toBe(fake.issuer)
    expect(assertions[0]?.protectedHeader).toMatchObject({ alg: "ES256", kid: "k" })
    const { exp = 0, iat = 0 } = assertions[0]?.payload ?? {}
    expect(exp - iat).toBeLessThanOrEqual(60)
    expect(assertions[0]?.payload.jti).not.toBe(assertions[1]?.payload.jti)
  })

  it("signs an assertion with the secret with client_secret_jwt", async () => {
    const fake = await createFakeProvider()
    await complete(oidcProvider(fake, { client: { token_endpoint_auth_method: "client_secret_jwt" } }))
    const assertion = fake.calls.find(({ endpoint }) => endpoint === "token")?.form.get("client_assertion") ?? ""
    const { payload } = await jwtVerify(assertion, new TextEncoder().encode(clientSecret))
    expect(payload).toMatchObject({ aud: fake.issuer, sub: "rp" })
  })

  it.each([
    ["a missing secret", { clientSecret: "" }, /\.clientSecret: missing\. Set it, or AUTH_[A-Z_]+_SECRET in/],
    [
      "no key",
      { client: { token_endpoint_auth_method: "private_key_jwt" } },
      /\.token\.clientPrivateKey: missing\. private_key_jwt needs/,
    ],
    ["an unknown method", { client: { token_endpoint_auth_method: "toString" } }, /"toString" is unknown/],
  ])("rejects %s before it sends a request", async (_, changes, message) => {
    const fake = await createFakeProvider()
    const error = await rejectionOf(complete(oauthProvider(fake, changes)))
    expect(error.message).toMatch(message)
    expect(fake.calls).toHaveLength(0)
  })
})

describe("completeAuthorization: what it returns", () => {
  it("returns a user with a new id, and the account with the provider's id", async () => {
    const fake = await createFakeProvider()
    const { user, account, profile, tokens } = await complete(oidcProvider(fake), { clock: () => Date.now() })
    expect(user).toMatchObject({ name: "Ada", email: "ada@example.test" })
    expect(user.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/)
    expect(account).toMatchObject({
      provider: "oidc",
      type: "oidc",
      providerAccountId: "subject-1",
      token_type: "bearer",
    })
    expect(account.access_token).toBe(accessToken)
    expect(profile.email).toBe("Ada@Example.test")
    expect(Number(tokens.expires_at) - Math.floor(Date.now() / 1000)).toBeGreaterThan(3590)
    expect(fake.hits("userinfo")).toBe(0)
  })

  it("adds the form's name for form-post providers, but never replaces a signed claim", async () => {
    const fake = await createFakeProvider()
    const provider = oidcProvider(fake, { authorization: { params: { response_mode: "form_post" } } })
    const userField = JSON.stringify({ name: { firstName: "Ada", lastName: "L", age: 5 }, email: "evil@evil.test" })
    const { profile } = await complete(provider, { userField })
    expect(profile["user"]).toEqual({ name: { firstName: "Ada", lastName: "L" } })
    expect(profile.email).toBe("Ada@Example.test")

    fake.answerIdToken(await fake.sign(fake.claims({ user: "signed" })))
    expect((await complete(provider, { userField })).profile["user"]).toBe("signed")
    expect((await complete(oidcProvider(await createFakeProvider()), { userField })).profile).not.toHaveProperty("user")
  })

  it.each(["{", "[]", '{"name":5}', 7, undefined, `{"name":{"firstName":"${"x".repeat(5000)}"}}`])(
    "ignores an invalid user field: %s",
    async (userField) => {
      const fake = await createFakeProvider()
      const provider = oidcProvider(fake, { authorization: { params: { response_mode: "form_post" } } })
      expect((await complete(provider, { userField })).profile).not.toHaveProperty("user")
    },
  )
})

describe("completeAuthorization: errors", () => {
  const bodies = "body-secret-1b"
  const repeated = `${Object.values(flow).join()} ${clientSecret} ${encodeURIComponent(clientSecret)} eyJhbGciOiJIUzI1NiJ9.e30.x`

  it("LOG-02: exposes no code, token, secret, verifier, nonce or body in any failure", async () => {
    const other = await generateKeyPair("RS256", { extractable: true })
    const foreign = await exportJWK(other.privateKey)
    const fails: ((fake: Awaited<ReturnType<typeof createFakeProvider>>) => Promise<void> | void)[] = [
      (fake) => fake.answer("token", () => new Response(bodies, { headers: { "content-type": "text/html" } })),
      (fake) =>
        fake.answer("token", () =>
          Response.json({ error: "invalid_grant", x: bodies, error_description: repeated }, { status: 400 }),
        ),
      (fake) => fake.answer("token", () => Response.json({ access_token: accessToken, x: bodies })),
      (fake) => fake.answer("token", () => new Response(bodies, { status: 500 })),
      (fake) =>
        fake.answer(
          "token",
          () => new Response(bodies, { status: 401, headers: { "www-authenticate": `Basic realm="${bodies}"` } }),
        ),
      async (fake) => fake.answerIdToken(await fake.sign(fake.claims({ nonce: bodies }))),
      async (fake) => fake.answerIdToken(await fake.sign(fake.claims({ aud: bodies }))),
      async (fake) =>
        fake.answerIdToken(
          await fake.sign(
            fake.claims(),
            {},
            {
              kid: "key-1",
              alg: "RS256",
              privateKey: (await importJWK(foreign, "RS256")) as CryptoKey, // An RSA key is never a byte array.
              publicJwk: {},
            },
          ),
        ),
      (fake) => fake.answer("jwks", () => new Response(bodies)),
      (fake) => fake.answer("discovery", () => Response.json({ issuer: "https://evil.test", x: bodies })),
      (fake) =>
        fake.answer("token", (call) => {
          throw new TypeError(`failed: ${call.form} ${call.headers.get("authorization")}`)
        }),
    ]
    for (const [index, fail] of fails.entries()) {
      const fake = await createFakeProvider()
      await fail(fake)
      const error = await rejectionOf(complete(oidcProvider(fake)))
      expect(error, `case ${index}`).toMatchObject({ type: "CallbackRouteError", cause: { provider: "oidc" } })
      const seen = inspect(error, { depth: 20, showHidden: true }).replace(/^\s+at .*$/gm, "")
      for (const secret of [
        ...Object.values(flow),
        accessToken,
        clientSecret,
        bodies,
        btoa(`rp:${clientSecret}`),
        "eyJ",
      ]) {
        expect(seen, `case ${index}`).not.toContain(secret)
      }
    }
  })

  it("OAU-40: include the status and the protocol's error code", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json({ error: "invalid_grant" }, { status: 400 }))
    const error = await rejectionOf(complete(oidcProvider(fake)))
    expect(error.cause?.["err"]).toMatchObject({ name: "ProviderError", status: 400, error: "invalid_grant" })
  })
})
