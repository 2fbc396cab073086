import { SignJWT } from "jose"
import { describe, expect, it } from "vitest"
import {
  createFakeProvider,
  createSigningKey,
  type FakeProvider,
  oidcProvider,
  unknownExtension,
} from "../../test/setup/fake-provider.js"
import { createProviderEndpoints } from "./endpoints.js"
import { verifyLogoutToken } from "./logout-token.js"

type Claims = Record<string, unknown>

const event = "http://schemas.openid.net/event/backchannel-logout"
const now = () => Math.floor(Date.now() / 1000)

function claimsOf(fake: FakeProvider, changes: Claims = {}): Claims {
  const right = {
    iss: fake.issuer,
    aud: "rp",
    iat: now(),
    exp: now() + 120,
    jti: "token-1",
    sub: "subject-1",
    sid: "session-1",
    events: { [event]: {} },
  }
  return { ...right, ...changes }
}

const logoutType = { typ: "logout+jwt" }

async function verify(fake: FakeProvider, text: string, options = { isTypeOptional: false }) {
  const provider = oidcProvider(fake)
  const endpoints = createProviderEndpoints({})
  const server = await endpoints.resolve(provider, ["jwks"])
  return verifyLogoutToken(text, { provider, server, endpoints }, options)
}

describe("a logout token", () => {
  const wrong: readonly (readonly [title: string, code: string, (fake: FakeProvider) => Promise<string>])[] = [
    [
      "with the signature of another key",
      "signature",
      async (fake) => fake.sign(claimsOf(fake), logoutType, await createSigningKey("key-1")),
    ],
    [
      "without a signature",
      "algorithm",
      async (fake) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
        return `${part({ alg: "none", ...logoutType })}.${part(claimsOf(fake))}.`
      },
    ],
    [
      "signed by HMAC with the public key",
      "algorithm",
      async (fake) => {
        const key = new TextEncoder().encode(JSON.stringify(fake.keys[0]))
        return new SignJWT(claimsOf(fake)).setProtectedHeader({ alg: "HS256", kid: "key-1", ...logoutType }).sign(key)
      },
    ],
    [
      "of another issuer",
      "wrong-issuer",
      (fake) => fake.sign(claimsOf(fake, { iss: "https://evil.test" }), logoutType),
    ],
    ["for another client", "audience", (fake) => fake.sign(claimsOf(fake, { aud: ["other"] }), logoutType)],
    ["that has expired", "token-age", (fake) => fake.sign(claimsOf(fake, { exp: now() - 60 }), logoutType)],
    [
      "with a sid of 256 characters",
      "subject",
      (fake) => fake.sign(claimsOf(fake, { sid: "s".repeat(256) }), logoutType),
    ],
    [
      "with a control character in its sub",
      "subject",
      (fake) => fake.sign(claimsOf(fake, { sub: "subject-1\u0000" }), logoutType),
    ],
    ["without an expiry", "token-age", (fake) => fake.sign(claimsOf(fake, { exp: undefined }), logoutType)],
    ["older than two minutes", "token-age", (fake) => fake.sign(claimsOf(fake, { iat: now() - 200 }), logoutType)],
    ["without iat", "token-age", (fake) => fake.sign(claimsOf(fake, { iat: undefined }), logoutType)],
    ["from the future", "token-age", (fake) => fake.sign(claimsOf(fake, { iat: now() + 300 }), logoutType)],
    ["with a nonce", "token-kind", (fake) => fake.sign(claimsOf(fake, { nonce: "n" }), logoutType)],
    ["without events", "token-kind", (fake) => fake.sign(claimsOf(fake, { events: undefined }), logoutType)],
    [
      "with another event",
      "token-kind",
      (fake) => fake.sign(claimsOf(fake, { events: { "urn:other": {} } }), logoutType),
    ],
    [
      "with an event that is no object",
      "token-kind",
      (fake) => fake.sign(claimsOf(fake, { events: { [event]: true } }), logoutType),
    ],
    [
      "with neither sub nor sid",
      "claim-missing",
      (fake) => fake.sign(claimsOf(fake, { sub: undefined, sid: undefined }), logoutType),
    ],
    ["with a sid that is no text", "subject", (fake) => fake.sign(claimsOf(fake, { sid: { $ne: "" } }), logoutType)],
    ["without jti", "claim-missing", (fake) => fake.sign(claimsOf(fake, { jti: undefined }), logoutType)],
    ["without a type", "token-kind", (fake) => fake.sign(claimsOf(fake))],
    ["of another type", "token-kind", (fake) => fake.sign(claimsOf(fake), { typ: "JWT" })],
    ["that is an ID token", "token-kind", (fake) => fake.sign()],
    [
      "with a critical header",
      "not-a-jwt",
      (fake) => fake.sign(claimsOf(fake), { ...logoutType, crit: [unknownExtension], [unknownExtension]: 1 }),
    ],
  ]
  it.each(wrong)("LOUT-01: is refused %s, for that reason (%s)", async (_, code, sign) => {
    const fake = await createFakeProvider()
    await expect(verify(fake, await sign(fake))).rejects.toMatchObject({ name: "ProviderError", code })
    // Only the signature needs the keys, which cost a request.
    expect(fake.hits("jwks")).toBe(code === "signature" ? 1 : 0)
  })

  it("LOUT-01: may lack its type if the app allows it, but not have another one", async () => {
    const fake = await createFakeProvider()
    const lax = { isTypeOptional: true }
    await expect(verify(fake, await fake.sign(claimsOf(fake)), lax)).resolves.toBeDefined()
    await expect(verify(fake, await fake.sign(claimsOf(fake), { typ: "JWT" }), lax)).rejects.toThrow("typ")
  })

  it("names the session and the user to end, and itself", async () => {
    const fake = await createFakeProvider()
    const order = { id: "token-1", subject: "subject-1", session: "session-1" }
    expect(await verify(fake, await fake.sign(claimsOf(fake), logoutType))).toEqual(order)
    const wholeUser = { ...order, session: undefined }
    const withoutSession = await fake.sign(claimsOf(fake, { sid: undefined }), { typ: "application/logout+JWT" })
    expect(await verify(fake, withoutSession)).toEqual(wholeUser)
  })
})
