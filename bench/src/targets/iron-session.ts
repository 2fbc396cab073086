import { getIronSession, sealData } from "iron-session"
import { origin, secret, thirtyDaysSeconds } from "../fixtures/host.ts"
import { type Person, person } from "../fixtures/person.ts"
import { createRequests } from "../fixtures/requests.ts"
import type { Subject } from "../scenario.ts"
import type { Target } from "./target.ts"

const cookieName = "__Secure-iron-session"
const url = `${origin}/session`
const options = { cookieName, password: secret, ttl: thirtyDaysSeconds }

/** Reads the session and saves it again, which is what a rolling session is here. */
async function openStatelessSession(): Promise<Subject<Request, Response>> {
  const seal = await sealData({ user: person }, options)
  const headers = { cookie: `${cookieName}=${seal}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    async act(request) {
      const response = new Response(null)
      const session = await getIronSession<{ user?: Person }>(request, response, options)
      const expires = new Date(Date.now() + thirtyDaysSeconds * 1000).toISOString()
      await session.save()
      return Response.json({ user: session.user, expires }, { headers: response.headers })
    },
    sets: [cookieName],
  }
}

async function openAnonymousSession(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, url),
    async act(request) {
      const session = await getIronSession<{ user?: Person }>(request, new Response(null), options)
      return Response.json(session.user ?? null)
    },
  }
}

export const ironSession: Target = {
  subjects: { "session-stateless": openStatelessSession, "session-anonymous": openAnonymousSession },
}
