import * as oauth from "oauth4webapi"
import { describe, expect, it } from "vitest"
import { faultNames } from "./faults/table.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "./identity-provider.js"

const redirectUri = "https://app.test/auth/callback/oidc"

/** Hands a request over by an independent client library, as one of the registered apps. */
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
  it("is found by its reference once", async () => {
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

  it("is another app's to nobody", async () => {
    const idp = fakeIdentityProvider({ clients: [{ client_id: "rp" }, { client_id: "other" }] })
    const { request_uri } = await push(idp)
    expect((await follow(idp, { client_id: "other", request_uri })).status).toBe(400)
  })

  it("is taken from apps that prove who they are, and never refers to another one", async () => {
    const idp = fakeIdentityProvider()
    await expect(push(idp, {}, "a guess")).rejects.toMatchObject({ status: 401 })
    await expect(push(idp, { request_uri: "urn:x" })).rejects.toMatchObject({ error: "invalid_request" })
  })

  it("may be the only way", async () => {
    const idp = fakeIdentityProvider({ clients: [{ client_id: "rp", require_pushed_authorization_requests: true }] })
    const plain = await follow(idp, { client_id: "rp", response_type: "code", redirect_uri: redirectUri })
    expect(new URL(plain.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_request")
    const { request_uri } = await push(idp)
    const pushed = await follow(idp, { client_id: "rp", request_uri })
    expect(new URL(pushed.headers.get("location") ?? "").searchParams.has("code")).toBe(true)
  })

  const isSlow = (name: string) => /-(huge|hangs|trickles)/.test(name)
  const names = faultNames(({ stage, outcome }) => stage === "pushed" && outcome === "refused")

  it.each(names.filter((name) => !isSlow(name)))("%s is noticed by a careful client", async (name) => {
    const idp = fakeIdentityProvider()
    idp.faults.turnOn(name)
    await expect(push(idp)).rejects.toThrow()
  })
})
