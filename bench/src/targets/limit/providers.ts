import { origin } from "../../fixtures/host.ts"
import { createRequests } from "../../fixtures/requests.ts"
import { tenProviders } from "../../fixtures/ten-providers.ts"
import type { Subject } from "../../scenario.ts"

const headers = { "content-type": "application/json" }

/** Ten entries with addresses below the request's origin, JSON, Response by hand. */
export async function openProviders(): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/providers`),
    act(request) {
      const { url } = request
      const base = url.slice(0, url.lastIndexOf("/"))
      const entries: Record<string, object> = {}
      for (const { id, name, type } of tenProviders) {
        entries[id] = { id, name, type, signinUrl: `${base}/signin/${id}`, callbackUrl: `${base}/callback/${id}` }
      }
      return new Response(JSON.stringify(entries), { headers })
    },
  }
}
