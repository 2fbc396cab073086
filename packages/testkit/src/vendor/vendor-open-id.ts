import { urlWithoutSlash } from "./vendor-address.js"
import type { VendorFlow } from "./vendor-flow.js"

/** The discovery document, OpenID Connect Discovery 1.0 section 3. */
export function answerVendorDiscovery({ rules, keys }: VendorFlow): Response {
  const { openId, authorization, token, resources } = rules
  return Response.json({
    issuer: openId?.issuer,
    authorization_endpoint: authorization.url,
    token_endpoint: token.url,
    ...(resources?.[0] && { userinfo_endpoint: resources[0].url }),
    jwks_uri: jwksAddress(rules),
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    ...openId?.metadata,
  })
}

export async function answerVendorKeys({ keys }: VendorFlow): Promise<Response> {
  return Response.json({ keys: await keys.published() })
}

export function discoveryAddress({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.wellKnown ?? `${urlWithoutSlash(openId.issuer)}/.well-known/openid-configuration`
}

export function jwksAddress({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.jwks ?? `${urlWithoutSlash(openId.issuer)}/jwks`
}
