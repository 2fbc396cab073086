import type { AuthConfig } from "@latchkey/core"
import { origin, secret, sessionCookieName } from "../../fixtures/host.ts"
import { findByPassword, password } from "../../fixtures/password.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { formHeaders, readCsrfPair } from "./csrf.ts"
import type { ContractLibrary } from "./library.ts"

const config: AuthConfig = {
  providers: [
    {
      id: "credentials",
      name: "Password",
      type: "credentials",
      credentials: { email: {}, password: {} },
      authorize: async (fields) => findByPassword(fields),
    },
  ],
  secret,
  trustHost: true,
  // No peer counts attempts, and one visitor makes all of these.
  rateLimit: false,
}

export async function openCredentials(library: ContractLibrary): Promise<Subject<Request, Response>> {
  const { cookie, csrfToken } = await readCsrfPair(library, config)
  const body = new URLSearchParams({ csrfToken, email: person.email, password }).toString()
  const init = { method: "POST", headers: { ...formHeaders, cookie }, body }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/callback/credentials`, init),
    act: (request) => library.Auth(request, config),
    sets: [sessionCookieName],
  }
}
