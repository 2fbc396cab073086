import type { PublicProvider } from "@latchkey/types"
import { InvalidProvider } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { json, type Reply } from "../http/response.js"

import { type ActionNeeds, getProvider, noStore } from "./context.js"

/** `GET /csrf`: the token that every form must repeat. 404 where the framework protects its forms itself. */
export async function showCsrfToken(
  request: AuthRequest,
  { csrf, log }: Pick<ActionNeeds, "csrf" | "log">,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await csrf.issue(request.cookies)
  if (csrfToken !== undefined) return json({ csrfToken }, { cookies, headers: noStore })
  log.warnOnce("csrf-disabled")
  return { status: 404, cookies: csrf.leftover, headers: noStore }
}

/** `GET /providers`: what a client may know of each configured provider, by id and in the configured order. */
export function listProviders(
  request: AuthRequest,
  { providers, actionUrl }: Pick<ActionNeeds, "providers" | "actionUrl">,
): Reply {
  const list: Record<string, PublicProvider> = {}
  for (const { id, name, type } of providers.values()) {
    const signinUrl = actionUrl(request, `signin/${id}`)
    const callbackUrl = actionUrl(request, `callback/${id}`)
    list[id] = { id, name, type, signinUrl, callbackUrl }
  }
  return json(list, { headers: noStore })
}

/**
 * `GET /webauthn-options/<id>`: what a browser needs to ask for a credential. The id may be left out when one provider
 * alone has such options.
 * @throws InvalidProvider when the provider is none that has options
 */
export async function offerWebAuthnOptions(
  request: AuthRequest,
  needs: Pick<ActionNeeds, "providers" | "methodOf">,
): Promise<Reply> {
  const provider = getProvider(request.providerId ?? findOnlyId(needs), needs)
  const { offerOptions } = await needs.methodOf(provider)
  if (!offerOptions) throw new InvalidProvider(`A provider of type ${provider.type} has no WebAuthn options`)
  const reply = await offerOptions(request, provider)
  return { ...reply, headers: { ...reply.headers, ...noStore } }
}

function findOnlyId({ providers }: Pick<ActionNeeds, "providers">): string | undefined {
  const [only, ...others] = [...providers.values()].filter(({ type }) => type === "webauthn")
  return others.length === 0 ? only?.id : undefined
}
