import assert from "node:assert/strict"
import { origin, user } from "../fixtures/host.ts"
import type { Subject } from "../scenario.ts"

/** Asserts the status, and that every expected cookie is set to a value that is not empty. */
export function assertResponse(response: Response, status: number, { expectedCookies = [] }: Subject): void {
  assert.equal(response.status, status)
  const cookies = response.headers.getSetCookie()
  for (const name of expectedCookies) {
    const isSet = cookies.some((cookie) => cookie.startsWith(name) && /^[^=]+=[^;]{16,}/.test(cookie))
    assert.ok(isSet, `expected the cookie ${name}, got ${cookies.map((cookie) => cookie.split("=", 1)[0])}`)
  }
}

/** Asserts that the response is the user's session. */
export async function assertUserSession(response: Response, subject: Subject): Promise<void> {
  assertResponse(response, 200, subject)
  const session: unknown = await response.clone().json()
  assert.ok(typeof session === "object" && session !== null && "user" in session)
  const { name, email, image } = user
  assert.partialDeepStrictEqual(session.user, { name, email, image })
}

/** Asserts the user's claims, with an expiry in the future. */
export function assertUserClaims(claims: unknown): void {
  const { id, email } = user
  assert.partialDeepStrictEqual(claims, { sub: id, email })
  assert.ok(typeof claims === "object" && claims !== null && "exp" in claims && Number(claims.exp) * 1000 > Date.now())
}

/** Asserts that the response sets a session and redirects to the home page. */
export function assertSignedIn(response: Response, subject: Subject): void {
  const { expectedStatus = 302 } = subject
  assertResponse(response, expectedStatus, subject)
  if (expectedStatus === 302) assert.equal(new URL(response.headers.get("location") ?? "").href, `${origin}/`)
}
