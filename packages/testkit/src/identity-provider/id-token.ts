import { base64url, CompactSign } from "jose"
import type { RegisteredClient } from "./client.js"
import type { Establishment } from "./establishment.js"
import type { FaultContext, Signing } from "./faults/fault.js"
import type { Grant } from "./grants.js"
import { describePerson } from "./person.js"

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

async function signingByKey({ keys }: Establishment): Promise<Signing> {
  const { alg, kid, privateKey } = await keys.current()
  return { header: { alg, kid, typ: "JWT" }, key: privateKey }
}

function signingBySecret({ client_secret }: RegisteredClient): Signing {
  return { header: { alg: "HS256", typ: "JWT" }, key: new TextEncoder().encode(client_secret) }
}

async function sign(payload: string, { header, key }: Signing): Promise<string> {
  if (key === null) return `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payload)}.`
  return new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(key)
}
