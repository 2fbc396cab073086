import type { AuthConfig } from "@latchkey/core"
import { origin, secret } from "../../fixtures/host.ts"
import { createRequests } from "../../fixtures/requests.ts"
import { tenProviders } from "../../fixtures/ten-providers.ts"
import type { Subject } from "../../scenario.ts"
import type { ContractLibrary } from "./library.ts"

const config: AuthConfig = { providers: [...tenProviders], secret, trustHost: true }

export async function openProviders({ Auth }: ContractLibrary): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/providers`),
    act: (request) => Auth(request, config),
  }
}

export async function openSignInPage({ Auth }: ContractLibrary): Promise<Subject<Request, Response>> {
  return {
    prepare: (count) => createRequests(count, `${origin}/auth/signin`),
    act: (request) => Auth(request, config),
  }
}
