import { getIronSession, sealData } from "iron-session"
import { type BenchUser, createRequests, origin, secret, thirtyDaysSeconds, user } from "../fixtures/host.ts"
import type { Subject, Target } from "../scenario.ts"
import { jsonHeaders } from "./limit/primitives.ts"

const cookieName = "__Secure-iron-session"
const url = `${origin}/session`
const options = { cookieName, password: secret, ttl: thirtyDaysSeconds }

/** Reads the session and saves it again: a rolling session. */
async function openStatelessSession(): Promise<Subject<Request, Response>> {
  const seal = await sealData({ user }, options)
  const headers = { cookie: `${cookieName}=${seal}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    async run(request) {
      const response = new Response(null)
      const session = await getIronSession<{ user?: BenchUser }>(request, response, options)
      const expires = new Date(Date.now() + thirtyDaysSeconds * 1000).toISOString()
      await session.save()
      // Like all other targets, keeps the session out of caches.
      for (const [name, value] of Object.entries(jsonHeaders)) response.headers.set(name, value)
      return Response.json({ user: session.user, expires }, { headers: response.headers })
    },
    expectedCookies: [cookieName],
  }
}

async function openAnonymousSession(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, url),
    async run(request) {
      const session = await getIronSession<{ user?: BenchUser }>(request, new Response(null), options)
      return Response.json(session.user ?? null, { headers: jsonHeaders })
    },
  }
}

export const ironSessionTarget: Target = {
  "session-stateless": openStatelessSession,
  "session-anonymous": openAnonymousSession,
}
