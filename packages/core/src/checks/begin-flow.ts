import type { ResponseCookie } from "../contract/response.js"
import { randomHex, randomVerifier, toCodeChallenge } from "../crypto/random.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { defaultRequestLimits } from "../web/request-limits.js"
import { type FlowNeeds, type FlowProvider, statePurpose } from "./flow.js"
import { clearOldFlows, type FlowCheck, flowCookie, forFormPost } from "./flow-cookies.js"
import { createFlowId, type FlowId } from "./flow-id.js"

export interface NewFlow {
  readonly provider: FlowProvider
  /** What the flow is bound to beside the provider's id; the same text must be given when it comes back. */
  readonly party: string
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
  /** This service's own callback address, when a proxy receives the callback for it. */
  readonly returnTo: string | undefined
  readonly jar: CookieJar
}

/** What goes into the authorization request, and the cookies that prove its answer. */
export interface StartedFlow {
  readonly state?: string
  readonly codeChallenge?: string
  readonly nonce?: string
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Characters. Browsers drop a cookie of more than 4096 without a word, and servers refuse headers of more than 16 KiB,
 * which five flows must not fill.
 */
const maxSealedUrlLength = 500

/** `state` is sent with every check but `none`: many providers ignore PKCE, and it says which flow comes back. */
export async function beginFlow(
  needs: FlowNeeds,
  { provider, party, callbackUrl, returnTo, jar }: NewFlow,
): Promise<StartedFlow> {
  if (provider.checks.includes("none")) return { cookies: [] }
  const flow = createFlowId(needs.clock)
  const origin = returnTo === undefined ? {} : { origin: returnTo }
  const state = await needs.sealer.seal(statePurpose, { random: randomHex(16), flow, ...origin }, needs.ttlSeconds)
  const codeVerifier = provider.checks.includes("pkce") ? randomVerifier() : undefined
  const nonce = provider.checks.includes("nonce") ? randomHex(32) : undefined
  const seal = cookieSealer(needs, provider, flow)
  const fresh = await Promise.all([
    seal("state", state, { party, ...(callbackUrl.length <= maxSealedUrlLength && { callbackUrl }) }),
    ...(codeVerifier === undefined ? [] : [seal("pkceCodeVerifier", codeVerifier)]),
    ...(nonce === undefined ? [] : [seal("nonce", nonce)]),
  ])
  return {
    state,
    ...(codeVerifier !== undefined && { codeChallenge: await toCodeChallenge(codeVerifier) }),
    ...(nonce !== undefined && { nonce }),
    cookies: [...clearOldFlows(needs.cookies, jar, needs.maxFlows ?? defaultRequestLimits.flows), ...fresh],
  }
}

type SealCookie = (check: FlowCheck, value: string, more?: Readonly<Record<string, string>>) => Promise<ResponseCookie>

/**
 * Each cookie's purpose is its configured name; the provider and the flow are inside, so that neither can be swapped.
 */
function cookieSealer({ cookies, sealer, ttlSeconds }: FlowNeeds, provider: FlowProvider, flow: FlowId): SealCookie {
  const options = provider.isFormPost ? forFormPost(cookies) : cookies
  return async (check, value, more) => {
    const claims = { value, provider: provider.id, flow, ...more }
    const sealed = await sealer.seal(cookies[check].name, claims, ttlSeconds)
    return { ...flowCookie(options, check, flow), value: sealed }
  }
}
