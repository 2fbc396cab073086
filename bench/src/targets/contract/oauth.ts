import type { AuthConfig } from "@latchkey/core"
import { origin, secret, sessionCookieName } from "../../fixtures/host.ts"
import { clientId, clientSecret, code, createIdentityProvider, issuer } from "../../fixtures/identity-provider.ts"
import { createRequests } from "../../fixtures/requests.ts"
import type { Subject } from "../../scenario.ts"
import { type CsrfPair, formHeaders, readCsrfPair } from "./csrf.ts"
import type { ContractLibrary } from "./library.ts"

const signInUrl = `${origin}/auth/signin/idp`

/** One OpenID Connect provider, with PKCE and `state`. */
function createConfig({ customFetch }: ContractLibrary): AuthConfig {
  const provider = { id: "idp", name: "Identity", type: "oidc", issuer, clientId, clientSecret } as const
  const hook = { [customFetch]: createIdentityProvider().fetch }
  return { providers: [{ ...provider, checks: ["pkce", "state"], ...hook }], secret, trustHost: true, rateLimit: false }
}

function toSignIn({ cookie, csrfToken }: CsrfPair): RequestInit {
  const body = new URLSearchParams({ csrfToken }).toString()
  return { method: "POST", headers: { ...formHeaders, cookie }, body }
}

export async function openOAuthStart(library: ContractLibrary): Promise<Subject<Request, Response>> {
  const config = createConfig(library)
  const init = toSignIn(await readCsrfPair(library, config))
  return {
    prepare: (count) => createRequests(count, signInUrl, init),
    act: (request) => library.Auth(request, config),
    sets: ["__Secure-authjs.state", "__Secure-authjs.pkce.code_verifier"],
  }
}

export async function openOidcCallback(library: ContractLibrary): Promise<Subject<Request, Response>> {
  const config = createConfig(library)
  const pair = await readCsrfPair(library, config)
  const init = toSignIn(pair)

  /** The callback of a flow that was just begun: each flow completes once. */
  async function prepareCallback(): Promise<Request> {
    const started = await library.Auth(new Request(signInUrl, init), config)
    const state = new URL(started.headers.get("location") ?? "").searchParams.get("state") ?? ""
    const cookies = started.headers.getSetCookie().map((each) => each.split(";", 1)[0])
    const query = new URLSearchParams({ code, state })
    return new Request(`${origin}/auth/callback/idp?${query}`, {
      headers: { cookie: [pair.cookie, ...cookies].join("; ") },
    })
  }

  return {
    prepare: (count) => Promise.all(Array.from({ length: count }, prepareCallback)),
    act: (request) => library.Auth(request, config),
    sets: [sessionCookieName],
  }
}
