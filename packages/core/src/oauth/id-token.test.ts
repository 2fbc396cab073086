import { type JWTHeaderParameters, SignJWT } from "jose"
import { beforeAll, describe, expect, it, vi } from "vitest"
import {
  accessToken,
  clientSecret,
  complete,
  createFakeProvider,
  createSigningKey,
  type FakeProvider,
  oidcProvider,
  rejectionOf,
  type SigningKey,
  unknownExtension,
} from "../../test/setup/fake-provider.js"

const nowSeconds = () => Math.floor(Date.now() / 1000)

async function refusalOf(fake: FakeProvider, provider = oidcProvider(fake)): Promise<string> {
  const error = await rejectionOf(complete(provider))
  expect(error).toMatchObject({ type: "CallbackRouteError", cause: { provider: "oidc" } })
  expect(fake.hits("userinfo")).toBe(0)
  return error.message
}

describe("the claims of an ID token", () => {
  const week = 7 * 24 * 60 * 60
  it.each<[string, Record<string, unknown>, RegExp]>([
    ["OAU-22: rejects an ID token of another issuer", { iss: "https://evil.test" }, /"iss"/],
    ["OAU-23: rejects an ID token without sub", { sub: undefined }, /"sub"/],
    ["OAU-23: rejects an ID token without iat", { iat: undefined }, /"iat"/],
    ["OAU-23: rejects an ID token without exp", { exp: undefined }, /"exp"/],
    ["OAU-23: rejects an ID token without aud", { aud: undefined }, /"aud"/],
    ["OAU-23: rejects an ID token without iss", { iss: undefined }, /"iss"/],
    ["OAU-24: rejects an ID token for another audience", { aud: "other" }, /"aud"/],
    ["OAU-24: rejects an ID token for a list of other audiences", { aud: ["other"] }, /"aud"/],
    ["OAU-24: rejects an ID token with an empty audience", { aud: [] }, /"aud"/],
    ["OAU-25: rejects a further audience without azp", { aud: ["rp", "other"] }, /"aud"/],
    ["OAU-25: rejects a further audience with its own azp", { aud: ["rp", "other"], azp: "other" }, /"azp"/],
    ["OAU-26: rejects an expired ID token", { exp: nowSeconds() - 120 }, /"exp"/],
    ["OAU-26: rejects an ID token that is a week old", { iat: nowSeconds() - week }, /too long ago/],
    ["OAU-26: rejects an ID token from the future", { iat: nowSeconds() + 600 }, /in the future/],
    ["OAU-26: rejects an ID token that is not valid yet", { nbf: nowSeconds() + 600 }, /"nbf"/],
    ["OAU-27: rejects another nonce", { nonce: "other" }, /"nonce"/],
    ["OAU-27: rejects an ID token without nonce", { nonce: undefined }, /"nonce"/],
    ["OAU-25: rejects another authorized party, also with one audience", { azp: "other" }, /"azp"/],
    ["OAU-25: rejects an authorized party that is not text", { azp: ["rp"] }, /"azp"/],
    ["OAU-23: rejects a sub of more than 255 characters", { sub: "s".repeat(256) }, /"sub" .* 256/],
    ["OAU-23: rejects a sub with a NUL character", { sub: "subject-1\u0000" }, /"sub" .* control/],
    ["OAU-23: rejects a sub with a line break", { sub: "subject\n1" }, /"sub" .* control/],
    ["rejects an ID token for another access token", { at_hash: "AAAAAAAAAAAAAAAAAAAAAA" }, /access token/],
    ["rejects an at_hash that is not a string", { at_hash: 5 }, /access token/],
  ])("%s", async (_, changes, message) => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims(changes)))
    expect(await refusalOf(fake)).toMatch(message)
  })

  it("OAU-25: accepts a further audience when this app is the authorized party", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims({ aud: ["rp", "other"], azp: "rp" })))
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it("OAU-23: accepts a sub of 255 characters", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims({ sub: "s".repeat(255), azp: null })))
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it.each(["at+jwt", "application/at+jwt", "logout+jwt", "DPoP+JWT", "secevent+jwt"])(
    "OAU-30: rejects a token whose header has the type %s, RFC 8725 section 3.11",
    async (typ) => {
      const fake = await createFakeProvider()
      fake.answerIdToken(await fake.sign(fake.claims(), { typ }))
      expect(await refusalOf(fake)).toContain(`the type "${typ}"`)
    },
  )

  it("OAU-30: rejects a token with a critical header, RFC 7515 section 4.1.11", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims(), { [unknownExtension]: 1 }))
    expect(await complete(oidcProvider(fake))).toBeDefined()
    fake.answerIdToken(await fake.sign(fake.claims(), { crit: [unknownExtension], [unknownExtension]: 1 }))
    expect(await refusalOf(fake)).toContain("critical header")
  })

  it.each(["JWT", "jwt", "JOSE", "ID"])("accepts the header type %s", async (typ) => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims(), { typ }))
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it("OAU-27: rejects a nonce in a flow that sent none", async () => {
    const fake = await createFakeProvider()
    const message = await refusalOf(fake, oidcProvider(fake, { checks: ["pkce", "state"] }))
    expect(message).toMatch(/unexpected ID Token "nonce".* add "nonce" to providers\.oidc\.checks/)
  })

  it("accepts the at_hash of its access token", async () => {
    const fake = await createFakeProvider()
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(accessToken)))
    const at_hash = Buffer.from(digest.slice(0, 16)).toString("base64url")
    fake.answerIdToken(await fake.sign(fake.claims({ at_hash })))
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it("are compared with the service's clock", async () => {
    const fake = await createFakeProvider()
    const hour = 60 * 60 * 1000
    const error = await rejectionOf(complete(oidcProvider(fake), { clock: () => Date.now() + hour }))
    expect(error.message).toMatch(/"exp"/)
  })

  it("need an ID token, and an issuer to compare it with", async () => {
    const fake = await createFakeProvider()
    fake.answer("token", () => Response.json({ access_token: "a", token_type: "bearer" }))
    expect(await refusalOf(fake)).toMatch(/no ID token. Add "openid" to providers.oidc.authorization.params.scope/)

    const manual = await createFakeProvider()
    const { issuer: _, ...provider } = oidcProvider(manual, {
      authorization: `${manual.issuer}/authorize`,
      token: `${manual.issuer}/token`,
      jwks_endpoint: `${manual.issuer}/jwks`,
    })
    expect(await refusalOf(manual, provider)).toMatch(/needs an issuer/)
  })
})

describe("the signature of an ID token", () => {
  let es256: SigningKey
  let ps256: SigningKey
  let other: SigningKey
  beforeAll(async () => {
    es256 = await createSigningKey("es-1", "ES256")
    ps256 = await createSigningKey("ps-1", "PS256")
    other = await createSigningKey("key-1")
  })

  function unsigned(claims: Record<string, unknown>): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
    return `${part({ alg: "none" })}.${part(claims)}.`
  }

  it("OAU-28: rejects an unsigned ID token, even if the metadata or the app lists none", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(unsigned(fake.claims()))
    expect(await refusalOf(fake)).toMatch(/signed with "none"/)
    fake.metadata = { ...fake.metadata, issuer: fake.issuer, id_token_signing_alg_values_supported: ["none"] }
    const listing = await createFakeProvider()
    listing.metadata = { ...listing.metadata, id_token_signing_alg_values_supported: ["none", "HS256"] }
    listing.answerIdToken(unsigned(listing.claims()))
    expect(await refusalOf(listing)).toMatch(/signed with "none"/)
    expect(await refusalOf(fake, oidcProvider(fake, { client: { id_token_signed_response_alg: "none" } }))).toMatch(
      /not supported/,
    )
  })

  it("OAU-29: rejects an HMAC with the public key as its secret", async () => {
    const fake = await createFakeProvider()
    const secret = new TextEncoder().encode(JSON.stringify(fake.keys[0]))
    const token = await new SignJWT(fake.claims()).setProtectedHeader({ alg: "HS256", kid: "key-1" }).sign(secret)
    fake.metadata = { ...fake.metadata, id_token_signing_alg_values_supported: ["HS256"] }
    fake.answerIdToken(token)
    expect(await refusalOf(fake)).toMatch(/signed with "HS256"/)
  })

  it.each(["ES256", "PS256"])("OAU-30: rejects %s if RS256 is announced too", async (alg) => {
    const fake = await createFakeProvider()
    const key = alg === "ES256" ? es256 : ps256
    fake.keys = [...fake.keys, key.publicJwk]
    fake.metadata = { ...fake.metadata, id_token_signing_alg_values_supported: ["RS256", alg] }
    fake.answerIdToken(await fake.sign(fake.claims(), {}, key))
    expect(await refusalOf(fake)).toContain(`signed with "${alg}" (expected RS256`)
  })

  it("OAU-30: accepts ES256 if the app registered it, or the metadata lacks RS256", async () => {
    const registered = await createFakeProvider()
    const announcing = await createFakeProvider()
    announcing.metadata = { ...announcing.metadata, id_token_signing_alg_values_supported: ["ES256"] }
    for (const fake of [registered, announcing]) {
      fake.keys = [es256.publicJwk]
      fake.answerIdToken(await fake.sign(fake.claims(), {}, es256))
    }
    const client = { id_token_signed_response_alg: "ES256" }
    expect(await complete(oidcProvider(registered, { client }))).toBeDefined()
    expect(await complete(oidcProvider(announcing))).toBeDefined()
    registered.answerIdToken(await registered.sign())
    expect(await refusalOf(registered, oidcProvider(registered, { client }))).toMatch(/signed with "RS256"/)
  })

  it("OAU-31: rejects a signature by another key, and one with a changed byte", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign(fake.claims(), {}, other))
    expect(await refusalOf(fake)).toMatch(/signature/)
    const token = await fake.sign()
    const [header = "", payload = "", signature = ""] = token.split(".")
    const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`
    fake.answerIdToken([header, payload, flipped].join("."))
    expect(await refusalOf(fake)).toMatch(/signature/)
  })

  it.each([
    ["1", "AQ"],
    ["1 with leading zeros", "AAAB"],
    ["an even number", "AQAA"],
    ["0", "AA"],
    ["nothing", ""],
  ])("OAU-31: uses no RSA key with the exponent %s, RFC 8017 section 3.1", async (_, e) => {
    const fake = await createFakeProvider()
    fake.keys = fake.keys.map((key) => ({ ...key, e }))
    fake.answerIdToken(await fake.sign())
    expect(await refusalOf(fake)).toMatch(/no key that fits/)
  })

  it("OAU-31: rejects an ES256 signature of zeros", async () => {
    const fake = await createFakeProvider()
    fake.keys = [es256.publicJwk]
    const [header, payload] = (await fake.sign(fake.claims(), {}, es256)).split(".")
    fake.answerIdToken([header, payload, Buffer.alloc(64).toString("base64url")].join("."))
    const provider = oidcProvider(fake, { client: { id_token_signed_response_alg: "ES256" } })
    expect(await refusalOf(fake, provider)).toMatch(/signature/)
  })

  it("OAU-32: accepts a token without key id if there is one key, and rejects it if there are two", async () => {
    const fake = await createFakeProvider()
    const header: Partial<JWTHeaderParameters> = {}
    header.kid = undefined as unknown as string // jose leaves undefined header members out.
    fake.answerIdToken(await fake.sign(fake.claims(), header))
    expect(await complete(oidcProvider(fake))).toBeDefined()

    const crowded = await createFakeProvider()
    crowded.keys = [...crowded.keys, { ...other.publicJwk, kid: "key-2" }]
    crowded.answerIdToken(await crowded.sign(crowded.claims(), header))
    expect(await refusalOf(crowded)).toMatch(/Several keys/)
  })

  it("OAU-33: goes on with the keys that it knows after an empty key set, and asks for new ones soon", async () => {
    const fake = await createFakeProvider()
    let now = Date.now()
    const clock = () => now
    await complete(oidcProvider(fake), { clock })
    const { keys } = fake
    const second = await createSigningKey("key-2")
    fake.keys = []
    fake.answerIdToken(await fake.sign(fake.claims(), {}, second))
    expect((await rejectionOf(complete(oidcProvider(fake), { clock }))).message).toMatch(/did not return any key/)
    fake.answerIdToken(await fake.sign(fake.claims()))
    await complete(oidcProvider(fake), { clock })
    expect(fake.hits("jwks")).toBe(2)
    fake.keys = [...keys, second.publicJwk]
    now += 2_000
    fake.answerIdToken(await fake.sign(fake.claims(), {}, second))
    await complete(oidcProvider(fake), { clock })
    expect(fake.hits("jwks")).toBe(3)
  })

  it.each<[string, object]>([
    ["a broken exponent", { e: "AQ" }],
    ["a short modulus", { n: "short" }],
    ["a private part", { d: "secret" }],
    ["a use for encryption", { use: "enc" }],
    ["an operation for encryption", { key_ops: ["encrypt"] }],
    ["a shared secret", { kty: "oct", k: "secret" }],
  ])("OAU-57: goes on with the keys that it knows after a set of keys with %s, and logs it once", async (_, change) => {
    const fake = await createFakeProvider()
    let now = Date.now()
    const warnOnce = vi.fn()
    const changes = { clock: () => now, log: { debug: () => {}, warnOnce } }
    const seconds = () => Math.floor(now / 1000)
    const ask = async (kid?: string) => {
      fake.answerIdToken(
        await fake.sign(fake.claims({ iat: seconds(), exp: seconds() + 300 }), kid === undefined ? {} : { kid }),
      )
      return complete(oidcProvider(fake), changes)
    }
    await ask()
    const { keys } = fake
    fake.keys = keys.map((key) => ({ ...key, ...change }))
    expect((await rejectionOf(ask("unknown"))).message).toMatch(/no key that fits/)
    await ask()
    // The cached set is old by now, and asked for again.
    now += 11 * 60_000
    await ask()
    expect((await rejectionOf(ask("unknown"))).message).toMatch(/no key that fits/)
    await ask()
    expect(warnOnce.mock.calls.map(([code]) => code)).toContain("keys-unsound")
    expect(new Set(warnOnce.mock.calls.map(String)).size).toBe(1)
    now += 25 * 60 * 60_000
    expect((await rejectionOf(ask())).message).toMatch(/no key that fits/)
    fake.keys = keys
    await ask()
  })

  it("OAU-57: asks again at once for keys when a process has only seen unsound ones", async () => {
    const fake = await createFakeProvider()
    const { keys } = fake
    const header: Partial<JWTHeaderParameters> = {}
    header.kid = undefined as unknown as string // jose leaves undefined header members out.
    fake.answerIdToken(await fake.sign(fake.claims(), header))
    fake.keys = keys.map((key) => ({ ...key, e: "AQ" }))
    expect(await refusalOf(fake)).toMatch(/no key that fits/)
    fake.keys = keys
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it("OAU-33: fetches the keys again for an unknown key id, once per cooldown", async () => {
    const fake = await createFakeProvider()
    let now = Date.now()
    const clock = () => now
    await complete(oidcProvider(fake), { clock })
    expect(fake.hits("jwks")).toBe(1)

    const second = await createSigningKey("key-2")
    fake.keys = [second.publicJwk]
    fake.answerIdToken(await fake.sign(fake.claims(), {}, second))
    await complete(oidcProvider(fake), { clock })
    await complete(oidcProvider(fake), { clock })
    expect(fake.hits("jwks")).toBe(2)

    for (const kid of ["x", "y", "z"]) {
      fake.answerIdToken(await fake.sign(fake.claims(), { kid }))
      expect((await rejectionOf(complete(oidcProvider(fake), { clock }))).message).toMatch(/no key that fits/)
    }
    expect(fake.hits("jwks")).toBe(2)

    now += 31_000
    const third = await createSigningKey("key-3")
    fake.keys = [third.publicJwk]
    fake.answerIdToken(await fake.sign(fake.claims(), {}, third))
    await complete(oidcProvider(fake), { clock })
    expect(fake.hits("jwks")).toBe(3)
  })

  it("keeps the known keys when the provider answers 503 for an unknown one", async () => {
    const fake = await createFakeProvider()
    await complete(oidcProvider(fake))
    const good = await fake.sign()
    fake.answer("jwks", () => new Response(null, { status: 503 }))
    fake.answerIdToken(await fake.sign(fake.claims(), { kid: "unknown" }))
    expect(await refusalOf(fake)).toMatch(/jwks endpoint answered with status 503/)
    fake.answerIdToken(good)
    expect(await complete(oidcProvider(fake))).toBeDefined()
  })

  it("OAU-34: uses no key from the token itself", async () => {
    const fake = await createFakeProvider()
    const header = { jwk: other.publicJwk, jku: "https://evil.test/jwks", x5u: "https://evil.test/x5u", kid: "key-1" }
    fake.answerIdToken(await fake.sign(fake.claims(), header, other))
    expect(await refusalOf(fake)).toMatch(/signature/)
    expect(fake.calls.some(({ url }) => url.includes("evil.test"))).toBe(false)
  })

  it("verifies HS256 with the client secret if the app registered it", async () => {
    const fake = await createFakeProvider()
    const client = { id_token_signed_response_alg: "HS256" }
    const sign = (secret: string) =>
      new SignJWT(fake.claims()).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret))
    fake.answerIdToken(await sign("another-secret-of-thirty-two-characters"))
    expect(await refusalOf(fake, oidcProvider(fake, { client }))).toMatch(/signature/)
    fake.answerIdToken(await sign(clientSecret))
    expect(await complete(oidcProvider(fake, { client }))).toBeDefined()
    expect(fake.hits("jwks")).toBe(0)
  })

  it.each(["", "a.b", "a.b.c.d.e", "x.y.z", "bm8.bm8.bm8"])(
    "rejects text that is not a signed token: %s",
    async (token) => {
      const fake = await createFakeProvider()
      fake.answerIdToken(token)
      expect(await refusalOf(fake)).toMatch(/not a signed JWT|"id_token"/)
    },
  )
})
