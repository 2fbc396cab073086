import type { Establishment } from "./establishment.js"
import type { Incoming } from "./incoming.js"
import { describePerson } from "./person.js"
import { jsonAnswer, refuse } from "./refusal.js"

/**
 * The userinfo endpoint, OpenID Connect Core 1.0 section 5.3. The token comes in the header alone, RFC 6750 section
 * 2.1.
 */
export async function answerUserinfo(incoming: Incoming, establishment: Establishment): Promise<Response> {
  const { issuer, keys, grants, apply } = establishment
  const token = /^bearer +(\S+)$/i.exec(incoming.headers.get("authorization") ?? "")?.[1]
  if (token === undefined) return refuse("invalid_request", "There is no bearer token", 401)
  const grant = grants.findAccessToken(token) ?? refuse("invalid_token", "The token is not known", 401)
  const claims = describePerson(grant.person, grant.scope)
  return jsonAnswer(await apply("userinfo", claims, { endpoint: "userinfo", issuer, keys, incoming }))
}
