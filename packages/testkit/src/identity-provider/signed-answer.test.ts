import * as oauth from "oauth4webapi"
import { describe, expect, it } from "vitest"
import { faultNames } from "./faults/table.js"
import { type FakeIdentityProvider, fakeIdentityProvider } from "./identity-provider.js"

const redirectUri = "https://app.test/auth/callback/oidc"
const client: oauth.Client = { client_id: "rp" }
const state = "a-state-of-the-app"

/** What arrives at the redirect URI, judged by an independent client library. */
async function receive(idp: FakeIdentityProvider, mode: string): Promise<URLSearchParams> {
  // The library words "no body" as `body: undefined`, which `fetch` takes but its type does not.
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

describe("a signed authorization answer", () => {
  it.each(["jwt", "query.jwt", "form_post.jwt"])("is one token that the client library accepts (%s)", async (mode) => {
    const answer = await receive(fakeIdentityProvider(), mode)
    expect(Object.fromEntries(answer)).toEqual({ code: expect.any(String), state, iss: "https://idp.test" })
  })

  it("also tells that nobody agreed", async () => {
    const idp = fakeIdentityProvider()
    idp.signInAs(null)
    await expect(receive(idp, "jwt")).rejects.toMatchObject({ error: "access_denied" })
  })

  it("is signed by the provider's own key also where ID tokens are signed with the app's secret", async () => {
    expect((await receive(fakeIdentityProvider({ signingAlg: "HS256" }), "jwt")).has("code")).toBe(true)
  })

  /** Faults that the client library leaves to its caller. */
  const leftToTheCaller = ["signed-answer-beside-code", "signed-answer-with-token", "signed-answer-without-code"]
  const names = faultNames(({ stage }) => stage === "signed-answer")

  it.each(names.filter((name) => !leftToTheCaller.includes(name)))(
    "%s is noticed by a careful client",
    async (name) => {
      const idp = fakeIdentityProvider()
      idp.faults.turnOn(name)
      const refusals = ["OperationProcessingError", "UnsupportedOperationError"]
      await expect(receive(idp, "jwt")).rejects.toSatisfy(({ name: error }) => refusals.includes(error))
    },
  )
})
