import { InvalidProvider } from "../errors/request.js"
import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { getProvider } from "./get-provider.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"

/**
 * `GET /webauthn-options/<id>`: what a browser needs to ask for a credential. The id may be left out when one provider
 * alone has such options.
 * @throws InvalidProvider when the provider is none that has options
 */
export async function offerWebAuthnOptions(
  visit: Visit,
  needs: Pick<ActionNeeds, "providers" | "methodOf">,
): Promise<Reply> {
  const provider = getProvider(visit.providerId ?? findOnlyId(needs), needs)
  const { offerOptions } = await needs.methodOf(provider)
  if (!offerOptions) throw new InvalidProvider(`A provider of type ${provider.type} has no WebAuthn options`)
  const reply = await offerOptions(visit, provider)
  return { ...reply, headers: { ...reply.headers, ...noStore } }
}

function findOnlyId({ providers }: Pick<ActionNeeds, "providers">): string | undefined {
  const [only, ...others] = [...providers.values()].filter(({ type }) => type === "webauthn")
  return others.length === 0 ? only?.id : undefined
}
