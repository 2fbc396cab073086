import type { AuthConfig } from "@latchkey/core"
import { origin, secret, sessionCookieName, toClaims } from "../../fixtures/host.ts"
import { person } from "../../fixtures/person.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import type { ContractLibrary } from "./library.ts"

const url = `${origin}/auth/session`
const config: AuthConfig = { providers: [], secret, trustHost: true }

export async function openStatelessSession({ Auth, encode }: ContractLibrary): Promise<Subject<Request, Response>> {
  const token = await encode({ token: toClaims(person), secret, salt: sessionCookieName })
  const headers = { cookie: `${sessionCookieName}=${token}` }
  return {
    prepare: (count) => createRequests(count, url, { headers }),
    act: (request) => Auth(request, config),
    sets: [sessionCookieName],
  }
}

export async function openAnonymousSession({ Auth }: ContractLibrary): Promise<Subject<Request, Response>> {
  return { prepare: (count) => createRequests(count, url), act: (request) => Auth(request, config) }
}
