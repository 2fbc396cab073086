// Session checks of one sign-in, with and without a record of the session in the store.
import assert from "node:assert/strict"
import { Auth, type AuthConfig } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { trackSessions } from "@latchkey/core/sessions"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { createRequests, origin, secret, sessionCookieName, user } from "../fixtures/host.ts"
import type { Subject, Target } from "../scenario.ts"
import { readCsrfPair, toFormPost } from "./contract.ts"

/** @param checkEvery Seconds after which a check asks the store. Null: sessions are not tracked. */
export function trackedTarget(checkEvery: number | null): Target {
  return { "session-tracked": () => openTrackedSession(checkEvery) }
}

async function openTrackedSession(checkEvery: number | null): Promise<Subject<Request, Response>> {
  const { adapter, calls } = countCalls(sqlite(":memory:"))
  await adapter.createUser?.({ ...user, emailVerified: null })
  const config: AuthConfig = {
    adapter,
    secret,
    trustHost: true,
    rateLimit: false,
    session: { strategy: "jwt", ...(checkEvery !== null && { track: trackSessions({ checkEvery }) }) },
    providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => user }],
  }
  const headers = { cookie: `${sessionCookieName}=${await signIn(config)}` }
  const prepare = (count: number) => createRequests(count, `${origin}/auth/session`, { headers })
  calls.clear()
  for (const request of prepare(3)) await Auth(request, config)
  assert.deepEqual([...calls], checkEvery === 0 ? [["seeSession", 3]] : [])
  return { prepare, run: (request) => Auth(request, config), expectedCookies: [sessionCookieName] }
}

/** The adapter, and how often each of its methods was called. */
function countCalls(adapter: Adapter): { readonly adapter: Adapter; readonly calls: Map<string, number> } {
  const calls = new Map<string, number>()
  const counting = Object.entries(adapter).map(([name, method]) => [
    name,
    typeof method !== "function"
      ? method
      : (...args: never[]) => {
          calls.set(name, (calls.get(name) ?? 0) + 1)
          return method(...args)
        },
  ])
  return { adapter: Object.fromEntries(counting), calls }
}

/** Signs in, and returns the session token. */
async function signIn(config: AuthConfig): Promise<string> {
  const init = toFormPost(await readCsrfPair({ Auth }, config))
  const answer = await Auth(new Request(`${origin}/auth/callback/password`, init), config)
  const cookie = answer.headers.getSetCookie().find((text) => text.startsWith(`${sessionCookieName}=`))
  assert.ok(cookie, "expected the session cookie")
  return cookie.slice(sessionCookieName.length + 1).split(";", 1)[0] ?? ""
}
