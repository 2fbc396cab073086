import assert from "node:assert/strict"
import { clientId, issuer } from "../fixtures/identity-provider.ts"
import { type RateScenario, rateGoals } from "../scenario.ts"
import { assertResponse } from "./assertions.ts"

export const oauthStart: RateScenario<Response> = {
  kind: "rate",
  id: "oauth-start",
  title: "Start of an OAuth sign-in, PKCE and state",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 12, many: 6, limit: 1.9 }, { limit: 2.2 }),
  notes: [
    "The limit: read the form, one HMAC for the CSRF token, random state and verifier, one SHA-256, three encryptions (the state, its cookie and the verifier's), write the cookies and the redirect.",
  ],
  assertDone(response, subject) {
    assertResponse(response, 302, subject)
    const { origin, searchParams } = new URL(response.headers.get("location") ?? "")
    assert.equal(origin, issuer)
    assert.equal(searchParams.get("client_id"), clientId)
    assert.equal(searchParams.get("code_challenge_method"), "S256")
    for (const name of ["state", "code_challenge", "redirect_uri"]) assert.ok(searchParams.get(name), name)
  },
}
