import type { WebAuthnRequest } from "../../contract/webauthn-provider.js"
import type { Visit } from "../../web/visit.js"

/** The visit as the host's functions see it. */
export function toWebAuthnRequest({ url, method, request, body }: Visit): WebAuthnRequest {
  return {
    url: new URL(url),
    method,
    headers: Object.fromEntries(request.headers),
    query: Object.fromEntries(url.searchParams),
    ...(body && { body: { ...body } }),
  }
}
