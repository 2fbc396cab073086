import * as oauth from "oauth4webapi"
import { describe, expect, it } from "vitest"
import { faultNames } from "./faults/faults.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "./identity-provider.js"

const redirectUri = "https://app.test/auth/callback/oidc"

/** Pushes a request with an independent client library. */
async function push(idp: FakeIdentityProvider, extra: Readonly<Record<string, string>> = {}, secret?: string) {
  const http = { [oauth.customFetch]: (url: string, init: object) => idp.fetch(url, init as RequestInit) }
  const issuer = new URL(idp.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  const client = { client_id: "rp" }
  const auth = oauth.ClientSecretBasic(secret ?? idp.clients[0]?.client_secret ?? "")
  const params = { response_type: "code", redirect_uri: redirectUri, scope: "openid", state: "s", ...extra }
  const answer = await oauth.pushedAuthorizationRequest(as, client, auth, params, http)
  return oauth.processPushedAuthorizationResponse(as, client, answer)
}

async function follow(idp: FakeIdentityProvider, query: Readonly<Record<string, string>>): Promise<Response> {
  return idp.handler(new Request(`${idp.issuer}/authorize?${new URLSearchParams(query)}`))
}

describe("a pushed authorization request", () => {
  it("can be used once", async () => {
    const idp = fakeIdentityProvider()
    const { request_uri, expires_in } = await push(idp)
    expect(expires_in).toBe(60)
    const [first, second] = [
      await follow(idp, { client_id: "rp", request_uri }),
      await follow(idp, { client_id: "rp", request_uri }),
    ]
    const location = new URL(first.headers.get("location") ?? "")
    expect([location.origin, location.searchParams.get("state"), location.searchParams.has("code")]).toEqual([
      "https://app.test",
      "s",
      true,
    ])
    expect([second.status, second.headers.get("location")]).toEqual([400, null])
  })

  it("cannot be used by another client", async () => {
    const idp = fakeIdentityProvider({ clients: [{ client_id: "rp" }, { client_id: "other" }] })
    const { request_uri } = await push(idp)
    expect((await follow(idp, { client_id: "other", request_uri })).status).toBe(400)
  })

  it("requires client authentication, and cannot refer to another request", async () => {
    const idp = fakeIdentityProvider()
    await expect(push(idp, {}, "a guess")).rejects.toMatchObject({ status: 401 })
    await expect(push(idp, { request_uri: "urn:x" })).rejects.toMatchObject({ error: "invalid_request" })
  })

  it("can be required", async () => {
    const idp = fakeIdentityProvider({ clients: [{ client_id: "rp", require_pushed_authorization_requests: true }] })
    const plain = await follow(idp, { client_id: "rp", response_type: "code", redirect_uri: redirectUri })
    expect(new URL(plain.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_request")
    const { request_uri } = await push(idp)
    const pushed = await follow(idp, { client_id: "rp", request_uri })
    expect(new URL(pushed.headers.get("location") ?? "").searchParams.has("code")).toBe(true)
  })

  const isSlow = (name: string) => /-(huge|hangs|trickles)/.test(name)
  const names = faultNames(({ stage, outcome }) => stage === "pushed" && outcome === "refused")

  it.each(names.filter((name) => !isSlow(name)))("%s is detected by a careful client", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    await expect(push(idp)).rejects.toThrow()
  })
})

const client: oauth.Client = { client_id: "rp" }
const state = "the-state-of-the-client"

/** The authorization response, validated by an independent client library. */
async function receive(idp: FakeIdentityProvider, mode: string): Promise<URLSearchParams> {
  // as: the library passes `body: undefined`, which `fetch` accepts but its type does not
  const http = { [oauth.customFetch]: (url: string, init: object) => idp.fetch(url, init as RequestInit) }
  const issuer = new URL(idp.issuer)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  const params = { response_type: "code", client_id: "rp", redirect_uri: redirectUri, scope: "openid", state }
  const query = new URLSearchParams({ ...params, response_mode: mode })
  const answer = await idp.handler(new Request(`${idp.issuer}/authorize?${query}`))
  const location = answer.headers.get("location")
  const arrived = location === null ? readForm(await answer.text()) : new URL(location).searchParams
  return oauth.validateJwtAuthResponse(as, client, arrived, state, http)
}

function readForm(page: string): URLSearchParams {
  const inputs = page.matchAll(/name="([^"]+)" value="([^"]+)"/g)
  return new URLSearchParams([...inputs].map(([, name = "", value = ""]) => [name, value]))
}

describe("a signed authorization response", () => {
  it.each(["jwt", "query.jwt", "form_post.jwt"])("is accepted by the client library (%s)", async (mode) => {
    const answer = await receive(fakeIdentityProvider(), mode)
    expect(Object.fromEntries(answer)).toEqual({ code: expect.any(String), state, iss: "https://idp.test" })
  })

  it("can be access_denied", async () => {
    const idp = fakeIdentityProvider()
    idp.signInAs(null)
    await expect(receive(idp, "jwt")).rejects.toMatchObject({ error: "access_denied" })
  })

  it("is signed with the provider's key even if ID tokens are signed with the client's secret", async () => {
    expect((await receive(fakeIdentityProvider({ signingAlg: "HS256" }), "jwt")).has("code")).toBe(true)
  })

  /** Faults that the client library leaves to its caller. */
  const undetected = ["signed-answer-beside-code", "signed-answer-with-token", "signed-answer-without-code"]
  const names = faultNames(({ stage }) => stage === "signed-answer")

  it.each(names.filter((name) => !undetected.includes(name)))("%s is detected by a careful client", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    const refusals = ["OperationProcessingError", "UnsupportedOperationError"]
    await expect(receive(idp, "jwt")).rejects.toSatisfy(({ name: error }) => refusals.includes(error))
  })
})
