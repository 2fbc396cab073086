import type { AuthConfig } from "@latchkey/core"
import { csrfCookieName, origin, secret } from "../../fixtures/host.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import type { ContractLibrary } from "./library.ts"

export async function openCsrf({ Auth }: ContractLibrary): Promise<Subject<Request, Response>> {
  const config: AuthConfig = { providers: [], secret, trustHost: true }
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/csrf`),
    act: (request) => Auth(request, config),
    sets: [csrfCookieName],
  }
}

/** What a browser of somebody who has seen a form holds, and what that form repeats. */
export interface CsrfPair {
  readonly cookie: string
  readonly csrfToken: string
}

export async function readCsrfPair({ Auth }: ContractLibrary, config: AuthConfig): Promise<CsrfPair> {
  const response = await Auth(new Request(`${origin}/auth/csrf`), config)
  // Both libraries answer so; the sign-ins that follow fail otherwise.
  const { csrfToken } = (await response.json()) as { csrfToken: string }
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0] ?? "")
    .filter((each) => each.startsWith(csrfCookieName))
    .join("; ")
  return { cookie, csrfToken }
}

export const formHeaders = { "content-type": "application/x-www-form-urlencoded", origin } as const
