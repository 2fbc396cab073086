import type { WebAuthnConfig, WebAuthnContext } from "../../contract/webauthn-provider.js"
import type { Visit } from "../../web/visit.js"
import { toWebAuthnRequest } from "./webauthn-request.js"

/** For whom passkeys are made, and from whom responses are taken. */
export interface ResolvedRelyingParty {
  /** The id that options name. */
  readonly id: string
  readonly name: string
  readonly ids: readonly string[]
  readonly origins: readonly string[]
}

/** What the host says, and for the rest what the request says. */
export async function resolveRelyingParty(
  visit: Visit,
  provider: WebAuthnConfig,
  context: WebAuthnContext,
): Promise<ResolvedRelyingParty> {
  const { getRelayingParty, relayingParty } = provider
  const given = getRelayingParty ? await getRelayingParty(context, toWebAuthnRequest(visit)) : (relayingParty ?? {})
  const { hostname, host, origin } = visit.url
  const ids = toList(given.id, hostname)
  const [first = hostname] = ids
  return {
    id: ids.find((id) => hostname === id || hostname.endsWith(`.${id}`)) ?? first,
    name: toList(given.name, host)[0] ?? host,
    ids,
    origins: toList(given.origin, origin),
  }
}

function toList(given: string | readonly string[] | undefined, fallback: string): readonly string[] {
  const list = typeof given === "string" ? [given] : (given ?? [])
  return list.length > 0 ? list : [fallback]
}
