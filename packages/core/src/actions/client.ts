import type { PublicProvider } from "@latchkey/types"
import { InvalidProvider } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { json, type Reply } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import { type ActionContext, getProvider, noStore, type PageContext } from "./context.js"

/** `GET /csrf`: the token that every form must send. 404 if the CSRF check is turned off. */
export async function showCsrfToken(request: AuthRequest, { csrf, log }: ActionContext): Promise<Reply> {
  const { token: csrfToken, cookies } = await csrf.issue(request.cookies)
  if (csrfToken !== undefined) return json({ csrfToken }, { cookies, headers: noStore })
  log.warnOnce("csrf-disabled")
  return { status: 404, cookies: csrf.leftover, headers: noStore }
}

/** `GET /providers`: the public fields of each provider by id, in the configured order. */
export function listProviders(request: AuthRequest, { providers, actionUrl }: PageContext): Reply {
  const list: Record<string, PublicProvider> = {}
  for (const { id, name, type } of providers.values()) {
    const signinUrl = actionUrl(request, `signin/${id}`)
    const callbackUrl = actionUrl(request, `callback/${id}`)
    list[id] = { id, name, type, signinUrl, callbackUrl }
  }
  return json(list, { headers: noStore })
}

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
