import { randomBytes } from "node:crypto"
import type { AuthConfig } from "@latchkey/core"
import { origin, secret, sessionCookieName, thirtyDaysSeconds } from "../../fixtures/host.ts"
import type { ContractStore } from "../../fixtures/memory-store.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import type { ContractLibrary } from "./library.ts"

/** One person's session in the store. */
export async function openStoredSession(
  { Auth }: ContractLibrary,
  adapter: ContractStore,
): Promise<Subject<Request, Response>> {
  const config: AuthConfig = { providers: [], adapter, secret, trustHost: true, session: { strategy: "database" } }
  const sessionToken = randomBytes(32).toString("hex")
  const user = await adapter.createUser?.({ ...person, emailVerified: null })
  if (!user) throw new Error("The store makes no users")
  await adapter.createSession?.({
    sessionToken,
    userId: user.id,
    expires: new Date(Date.now() + thirtyDaysSeconds * 1000),
  })
  const headers = { cookie: `${sessionCookieName}=${sessionToken}` }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/session`, { headers }),
    act: (request) => Auth(request, config),
    sets: [sessionCookieName],
  }
}
