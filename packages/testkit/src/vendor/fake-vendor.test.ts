import { createHash } from "node:crypto"
import { decodeJwt } from "jose"
import { describe, expect, it } from "vitest"
import { type FakeVendor, fakeVendor } from "./fake-vendor.js"
import type { VendorRules } from "./vendor-rules.js"

const verifier = "v".repeat(43)
const challenge = createHash("sha256").update(verifier).digest("base64url")
const redirectUri = "https://app.test/auth/callback/harbour"

const rules: VendorRules = {
  authorization: { url: "https://id.harbour.example/ask", parameters: { scope: "me" } },
  token: { url: "https://api.harbour.example/tokens" },
  resources: [{ url: "https://api.harbour.example/me?fields=name" }],
  profile: { id: 1, name: "Ada" },
}

const authorizationParams = {
  response_type: "code",
  redirect_uri: redirectUri,
  state: "s",
  scope: "me",
  code_challenge: challenge,
  code_challenge_method: "S256",
}

async function ask(vendor: FakeVendor, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
  const query = new URLSearchParams({ ...authorizationParams, client_id: vendor.client.client_id, ...changes })
  const url = "https://id.harbour.example/ask"
  return (await vendor.network["https://id.harbour.example"]?.(new Request(`${url}?${query}`))) ?? expect.fail()
}

async function codeOf(vendor: FakeVendor): Promise<string> {
  const { headers } = await ask(vendor)
  return new URL(headers.get("location") ?? "").searchParams.get("code") ?? expect.fail("there is no code")
}

function redeem(
  vendor: FakeVendor,
  fields: Readonly<Record<string, string>>,
  init: RequestInit = {},
): Promise<Response> {
  const { client_id, client_secret } = vendor.client
  const authorization = `Basic ${btoa(`${client_id}:${encodeURIComponent(client_secret)}`)}`
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...fields,
  })
  const headers = { authorization, accept: "application/json" }
  return vendor.fetch("https://api.harbour.example/tokens", { method: "POST", headers, body, ...init })
}

async function tokenOf(vendor: FakeVendor): Promise<string> {
  const answer: { readonly access_token: string } = await (await redeem(vendor, { code: await codeOf(vendor) })).json()
  return answer.access_token
}

const me = (vendor: FakeVendor, authorization: string, path = "/me?fields=name", init: RequestInit = {}) =>
  vendor.fetch(`https://api.harbour.example${path}`, { headers: { authorization }, ...init })

describe("a fake vendor's authorization page", () => {
  it.each([
    [{ scope: "me more" }, '"scope" is me more, expected me'],
    [{ prompt: "none" }, '"prompt" is unexpected'],
    [{ client_id: "other" }, '"client_id" is other, expected {client_id}'],
    [{ response_type: "token" }, '"response_type" is token, expected code'],
    [{ state: "" }, '"state" is , expected /./'],
    [{ code_challenge: "short" }, '"code_challenge" is short'],
  ])("refuses %j", async (changes, complaint) => {
    const vendor = fakeVendor(rules)
    expect((await ask(vendor, changes)).status).toBe(400)
    expect(vendor.complaints.join()).toContain(complaint)
  })

  it("redirects back with a code, the state and the vendor's own parameters", async () => {
    const vendor = fakeVendor({ ...rules, authorization: { ...rules.authorization, extra: { device_id: "7" } } })
    const back = new URL((await ask(vendor)).headers.get("location") ?? "")
    expect(back.origin + back.pathname).toBe(redirectUri)
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: "s", device_id: "7" })
  })

  it("redirects back with an error after refuse", async () => {
    const vendor = fakeVendor(rules)
    vendor.refuse("authorization")
    const back = new URL((await ask(vendor)).headers.get("location") ?? "")
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "access_denied", state: "s" })
  })
})

describe("a fake vendor's token endpoint", () => {
  it.for<readonly [string, Readonly<Record<string, string>>, RequestInit, string]>([
    ["a wrong code", { code: "other" }, {}, '"code" is other, expected {code}'],
    [
      "a wrong redirect URI",
      { redirect_uri: "https://evil.example/" },
      {},
      '"redirect_uri" is https://evil.example/, expected {redirect_uri}',
    ],
    ["a wrong verifier", { code_verifier: "w".repeat(43) }, {}, "the code_verifier does not match the code_challenge"],
    ["an extra field", { client_id: "c" }, {}, '"client_id" is unexpected'],
    ["no authentication", {}, { headers: { accept: "application/json" } }, "is not Basic with id and secret"],
    ["JSON", {}, { headers: {}, body: "{}" }, "the body is text/plain"],
    ["PUT", {}, { method: "PUT" }, "the method is PUT"],
  ])("refuses %s", async ([, fields, init, complaint]) => {
    const vendor = fakeVendor(rules)
    const code = await codeOf(vendor)
    expect((await redeem(vendor, { code, ...fields }, init)).status).toBe(400)
    expect(vendor.complaints.join()).toContain(complaint)
  })

  it("accepts a code once", async () => {
    const vendor = fakeVendor(rules)
    const code = await codeOf(vendor)
    expect((await redeem(vendor, { code })).status).toBe(200)
    expect((await redeem(vendor, { code })).status).toBe(400)
    expect(vendor.complaints).toEqual(["token request: no code was issued, or it was used before"])
  })

  it("sends the vendor's own error response after refuse", async () => {
    const refusal = { status: 200, body: { errcode: 40_029 } }
    const vendor = fakeVendor({ ...rules, token: { ...rules.token, refusal } })
    vendor.refuse("token")
    const answer = await redeem(vendor, { code: await codeOf(vendor) })
    expect([answer.status, await answer.json()]).toEqual([200, { errcode: 40_029 }])
  })

  it("issues a signed ID token with the nonce, and publishes the key", async () => {
    const openId = { issuer: "https://id.harbour.example" }
    const authorization = { ...rules.authorization, nonce: true }
    const vendor = fakeVendor({ ...rules, authorization, openId, profile: { sub: "1" } })
    const { headers } = await ask(vendor, { nonce: "n" })
    const code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? ""
    const answer: { readonly id_token: string } = await (await redeem(vendor, { code })).json()
    const { iss, aud, sub, nonce } = decodeJwt(answer.id_token)
    expect({ iss, aud, sub, nonce }).toEqual({ iss: openId.issuer, aud: vendor.client.client_id, sub: "1", nonce: "n" })
    const document = await vendor.fetch("https://id.harbour.example/.well-known/openid-configuration")
    expect(await document.json()).toMatchObject({ issuer: openId.issuer, token_endpoint: rules.token.url })
    const { keys } = await (await vendor.fetch("https://id.harbour.example/jwks")).json()
    expect(keys).toHaveLength(1)
  })
})

describe("a fake vendor's profile", () => {
  it.for<readonly [string, string | null, string, RequestInit, string]>([
    ["another token", "Bearer other", "/me?fields=name", {}, "the Authorization header is wrong"],
    ["no token", "", "/me?fields=name", { headers: {} }, "the bearer token is missing"],
    ["another query", null, "/me", {}, '"fields" is missing'],
    ["POST", null, "/me?fields=name", { method: "POST" }, "the method is POST"],
    ["another path", null, "/you", {}, "no endpoint at https://api.harbour.example/you"],
  ])("is withheld from a request with %s", async ([, authorization, path, init, complaint]) => {
    const vendor = fakeVendor(rules)
    const token = await tokenOf(vendor)
    expect((await me(vendor, authorization ?? `Bearer ${token}`, path, init)).status).toBe(400)
    expect(vendor.complaints.join()).toContain(complaint)
  })

  it("is withheld before a token is issued", async () => {
    const vendor = fakeVendor(rules)
    await me(vendor, "Bearer undefined")
    expect(vendor.complaints).toEqual(["request to https://api.harbour.example/me: no access token was issued"])
  })

  it("is sent in the vendor's format", async () => {
    const vendor = fakeVendor(rules)
    const answer = await me(vendor, `Bearer ${await tokenOf(vendor)}`)
    expect(await answer.json()).toEqual({ id: 1, name: "Ada" })
    expect([vendor.complaints, vendor.visited.at(-1)]).toEqual([[], "https://api.harbour.example/me"])
  })

  it("can require a form with the token", async () => {
    const resource = {
      url: "https://api.harbour.example/me",
      method: "POST" as const,
      bearer: false,
      form: { token: "{access_token}" },
    }
    const vendor = fakeVendor({ ...rules, resources: [resource] })
    const token = await tokenOf(vendor)
    const send = (text: string) =>
      vendor.fetch(resource.url, { method: "POST", body: new URLSearchParams({ token: text }) })
    expect((await send("other")).status).toBe(400)
    expect((await send(token)).status).toBe(200)
  })

  it("is not fetched from other origins", async () => {
    const vendor = fakeVendor(rules)
    await expect(vendor.fetch("https://evil.example/me")).rejects.toThrow(/no server/)
    expect(vendor.complaints).toEqual(["no server at https://evil.example/me"])
  })
})
