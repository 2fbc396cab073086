import assert from "node:assert/strict"
import { origin, tenProviders } from "../fixtures/host.ts"
import { clientId, issuer } from "../fixtures/identity-provider.ts"
import { assertResponse, type RateScenario, rateGoals, type Subject } from "../scenario.ts"

export const csrf: RateScenario<Response> = {
  kind: "rate",
  id: "csrf",
  title: "CSRF token for a new visitor",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 3.1, many: 2.6, limit: 1.8 }),
  notes: ["The limit: 32 random bytes, one HMAC-SHA-256, write the cookie and the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.match(await response.clone().text(), /^\{"csrfToken":"[0-9a-f]{64}"\}$/)
  },
}

const providerList = Object.fromEntries(
  tenProviders.map(({ id, name, type }) => [
    id,
    { id, name, type, signinUrl: `${origin}/auth/signin/${id}`, callbackUrl: `${origin}/auth/callback/${id}` },
  ]),
)

export const providers: RateScenario<Response> = {
  kind: "rate",
  id: "providers",
  title: "List of ten providers",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 4, many: 3.5, limit: 1.75 }),
  notes: ["The limit: ten entries with URLs on the request's origin, JSON, write the Response."],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    assert.deepEqual(await response.clone().json(), providerList)
  },
}

export const signInPage: RateScenario<Response> = {
  kind: "rate",
  id: "signin-page",
  title: "Sign-in page with ten providers",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 3.4, many: 3, limit: 1.8 }, { limit: 2.6 }),
  notes: [
    "All render one form for each provider, with the CSRF token in each.",
    "The limit: text that is kept between the places of the token, 32 random bytes, one HMAC, write the cookie and the Response.",
  ],
  async assertDone(response, subject) {
    assertResponse(response, 200, subject)
    const page = await response.clone().text()
    for (const { id, name } of tenProviders) assert.ok(page.includes(`/signin/${id}`) && page.includes(name), name)
    assert.equal(page.match(/name="csrfToken"/g)?.length, tenProviders.length)
  },
}

export const credentials: RateScenario<Response> = {
  kind: "rate",
  id: "credentials",
  title: "Sign-in with credentials, stateless session",
  targets: ["latchkey", "auth-core", "better-auth", "limit"],
  goals: rateGoals({ one: 8, many: 4.5, limit: 2 }, { limit: 2.9 }),
  notes: [
    "The password is compared without hashing: hashing is up to the host, and would hide all other costs.",
    "better-auth keeps the session in memory and responds with JSON.",
    "The limit: read the form, one HMAC for the CSRF token, one encryption, write the cookie and the redirect.",
  ],
  assertDone: assertSignedIn,
}

export const oauthStart: RateScenario<Response> = {
  kind: "rate",
  id: "oauth-start",
  title: "Start of an OAuth sign-in, PKCE and state",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 9, many: 6, limit: 1.7 }, { limit: 2.4 }),
  notes: [
    "The limit: read the form, one HMAC for the CSRF token, random state and verifier, one SHA-256, three encryptions (the state, its cookie and the verifier's), write the cookies and the redirect.",
  ],
  assertDone(response, subject) {
    assertResponse(response, 302, subject)
    const { origin: redirectOrigin, searchParams } = new URL(response.headers.get("location") ?? "")
    assert.equal(redirectOrigin, issuer)
    assert.equal(searchParams.get("client_id"), clientId)
    assert.equal(searchParams.get("code_challenge_method"), "S256")
    for (const name of ["state", "code_challenge", "redirect_uri"]) assert.ok(searchParams.get(name), name)
  },
}

export const oidcCallback: RateScenario<Response> = {
  kind: "rate",
  id: "oidc-callback",
  title: "Callback of an OpenID Connect sign-in",
  targets: ["latchkey", "auth-core", "limit"],
  // The usual results are those of the short form, which ends before all of this code is warm.
  goals: rateGoals({ one: 4.6, many: 2.5, limit: 2.5 }, { one: 1.9, limit: 7 }),
  notes: [
    "The identity provider is a function in the target's process. auth-core does not verify the ID token's signature.",
    "The limit: open the state and the two cookies, request the tokens, one RS256 verification with a cached key, one encryption, write the cookies and the redirect.",
  ],
  assertDone: assertSignedIn,
}

/** Asserts that the response sets a session and redirects to the home page. */
function assertSignedIn(response: Response, subject: Subject): void {
  const { expectedStatus = 302 } = subject
  assertResponse(response, expectedStatus, subject)
  if (expectedStatus === 302) assert.equal(new URL(response.headers.get("location") ?? "").href, `${origin}/`)
}
