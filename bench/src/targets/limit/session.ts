import { randomUUID } from "node:crypto"
import { origin, secret, sessionCookieName, thirtyDaysSeconds, toClaims } from "../../fixtures/host.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { findCookie, jsonHeaders, toSessionCookie } from "./http.ts"
import { createSealer } from "./sealer.ts"

const url = `${origin}/auth/session`
const sealer = createSealer(secret, sessionCookieName)

interface Claims {
  readonly name: string
  readonly email: string
  readonly picture: string
  readonly sub: string
  readonly exp: number
}

/** Seals claims as a session token. */
export function sealClaims(claims: object): string {
  const iat = Math.floor(Date.now() / 1000)
  return sealer.seal(JSON.stringify({ ...claims, iat, exp: iat + thirtyDaysSeconds, jti: randomUUID() }))
}

/** Opens a session token. */
export function openClaims(token: string): Claims {
  // The limit asks nothing: only its own tokens get here.
  const claims = JSON.parse(sealer.open(token)) as Claims
  if (claims.exp * 1000 < Date.now()) throw new Error("Expired")
  return claims
}

/** Opens the cookie and seals it anew. */
export function renewSession(cookieHeader: string | null): { readonly body: string; readonly cookie: string } {
  const claims = openClaims(findCookie(cookieHeader, sessionCookieName))
  const { name, email, picture } = claims
  const expires = new Date(Date.now() + thirtyDaysSeconds * 1000)
  const body = JSON.stringify({ user: { name, email, image: picture }, expires: expires.toISOString() })
  return { body, cookie: toSessionCookie(sealClaims(claims), expires) }
}

function answerSession(request: Request): Response {
  const { body, cookie } = renewSession(request.headers.get("cookie"))
  return new Response(body, { headers: { ...jsonHeaders, "set-cookie": cookie } })
}

export async function openStatelessSession(): Promise<Subject<Request, Response>> {
  const headers = { cookie: `${sessionCookieName}=${sealClaims(toClaims(person))}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    act: answerSession,
    sets: [sessionCookieName],
  }
}

export async function openAnonymousSession(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, url),
    act(request) {
      if (request.headers.get("cookie") !== null) throw new Error("Somebody is there")
      return new Response("null", { headers: jsonHeaders })
    },
  }
}
