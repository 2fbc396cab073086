import { InvalidProvider } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import type { Reply } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import { type ActionContext, getProvider, noStore, type PageContext } from "./context.js"

/**
 * `GET /webauthn-options/<id>`: the options for the browser's WebAuthn API. The id is optional with a single WebAuthn
 * provider.
 * @throws InvalidProvider when the provider has no such options
 */
export async function offerWebAuthnOptions(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const provider = getProvider(request.providerId ?? findOnlyId(context), context)
  const steps = await context.loadSteps(provider)
  if (!steps.offerOptions) throw new InvalidProvider(`A provider of type ${provider.type} has no WebAuthn options`)
  const reply = await steps.offerOptions(request, provider)
  return { ...reply, headers: { ...reply.headers, ...noStore } }
}

function findOnlyId({ providers }: PageContext): string | undefined {
  const [only, ...others] = [...providers.values()].filter((provider) => getMethod(provider).script)
  return others.length === 0 ? only?.id : undefined
}
