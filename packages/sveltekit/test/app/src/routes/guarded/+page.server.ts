import { publicCaching } from "@latchkey/testkit/integration"
import type { RequestEvent } from "@sveltejs/kit"

export const load = async ({ locals, setHeaders }: RequestEvent) => {
  setHeaders(publicCaching)
  return { session: await locals.auth.requireAuth() }
}
