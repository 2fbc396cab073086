import assert from "node:assert/strict"
import { origin } from "../fixtures/host.ts"
import { person } from "../fixtures/person.ts"
import type { Subject } from "../scenario.ts"

/** The response has this status and sets the cookies that the target named, none of them empty. */
export function assertResponse(response: Response, status: number, { sets = [] }: Subject): void {
  assert.equal(response.status, status)
  const cookies = response.headers.getSetCookie()
  for (const name of sets) {
    const isSet = cookies.some((cookie) => cookie.startsWith(name) && /^[^=]+=[^;]{16,}/.test(cookie))
    assert.ok(isSet, `expected the cookie ${name}, got ${cookies.map((cookie) => cookie.split("=", 1)[0])}`)
  }
}

/** The response says that this is the person's session. */
export async function assertPersonsSession(response: Response, subject: Subject): Promise<void> {
  assertResponse(response, 200, subject)
  const session: unknown = await response.clone().json()
  assert.ok(typeof session === "object" && session !== null && "user" in session)
  const { name, email, image } = person
  assert.partialDeepStrictEqual(session.user, { name, email, image })
}

/** The response sends the person home with a session. */
export function assertSignedIn(response: Response, subject: Subject): void {
  const { status = 302 } = subject
  assertResponse(response, status, subject)
  if (status === 302) assert.equal(new URL(response.headers.get("location") ?? "").href, `${origin}/`)
}

/** These are the person's claims, with a future expiry. */
export function assertPersonsClaims(claims: unknown): void {
  const { id, email } = person
  assert.partialDeepStrictEqual(claims, { sub: id, email })
  assert.ok(typeof claims === "object" && claims !== null && "exp" in claims && Number(claims.exp) * 1000 > Date.now())
}
