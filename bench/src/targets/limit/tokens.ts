import { origin, sessionCookieName, toClaims } from "../../fixtures/host.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { findCookie } from "./http.ts"
import { openClaims, sealClaims } from "./session.ts"

const claims = toClaims(person)

/** Claims as JSON, a random id, one encryption. */
export async function openEncode(): Promise<Subject<object, string>> {
  return { prepare: (count) => Array.from({ length: count }, () => claims), act: sealClaims }
}

/** One decryption, JSON, the check of the expiry. */
export async function openDecode(): Promise<Subject<string>> {
  const token = sealClaims(claims)
  return { prepare: (count) => Array.from({ length: count }, () => token), act: openClaims }
}

/** As decode, after finding the cookie. */
export async function openGetToken(): Promise<Subject<Request>> {
  const headers = { cookie: `${sessionCookieName}=${sealClaims(claims)}` }
  return {
    prepare: (count) => createRequests(count, origin, { headers }),
    act: (request) => openClaims(findCookie(request.headers.get("cookie"), sessionCookieName)),
  }
}
