import type { RegisteredClient } from "./client.js"
import type { Establishment } from "./establishment.js"
import type { FaultContext } from "./faults/fault.js"
import type { Grant } from "./grants.js"
import { describePerson } from "./person.js"
import { sign, signingByKey, signingBySecret } from "./signing.js"

const lifetimeSeconds = 3600

/** Makes the ID token of a grant, OpenID Connect Core 1.0 section 2, in its compact form. */
export async function issueIdToken(grant: Grant, client: RegisteredClient, needs: IdTokenNeeds): Promise<string> {
  const { establishment, context } = needs
  const { apply, issuer, keys } = establishment
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = await apply(
    "idTokenClaims",
    {
      ...describePerson(grant.person, grant.scope),
      iss: issuer,
      aud: client.client_id,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      auth_time: grant.authTime,
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    },
    context,
  )
  const honest = keys.alg === "HS256" ? signingBySecret(client) : await signingByKey(establishment)
  const signing = await apply("idTokenSigning", honest, context)
  return apply("idToken", await sign(JSON.stringify(claims), signing), context)
}

interface IdTokenNeeds {
  readonly establishment: Establishment
  readonly context: FaultContext
}
