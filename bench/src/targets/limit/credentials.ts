import { origin, sessionCookieName, thirtyDaysSeconds, toClaims } from "../../fixtures/host.ts"
import { findByPassword, password } from "../../fixtures/password.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { assertCsrf, createCsrfPair } from "./csrf.ts"
import { toSessionCookie } from "./http.ts"
import { sealClaims } from "./session.ts"

/** Reads the form, checks its CSRF token, seals a session, writes cookie and redirect. */
export async function openCredentials(): Promise<Subject<Request, Response>> {
  const { cookie, csrfToken } = createCsrfPair()
  const body = new URLSearchParams({ csrfToken, email: person.email, password }).toString()
  const init = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", cookie }, body }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/callback/credentials`, init),
    async act(request) {
      const form = new URLSearchParams(await request.text())
      assertCsrf(request.headers.get("cookie"), form.get("csrfToken"))
      const user = findByPassword({ email: form.get("email"), password: form.get("password") })
      if (!user) throw new Error("Nobody")
      const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
      const setCookie = toSessionCookie(sealClaims(toClaims(user)), expires)
      return new Response(null, { status: 302, headers: { location: origin, "set-cookie": setCookie } })
    },
    sets: [sessionCookieName],
  }
}
