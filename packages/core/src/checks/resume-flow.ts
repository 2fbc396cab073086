import type { ResponseCookie } from "../contract/response.js"
import { isEqualInConstantTime } from "../crypto/mac.js"
import { InvalidCheck } from "../errors/flow.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { Refusal } from "../web/refusal.js"
import { type FlowNeeds, type FlowProvider, statePurpose } from "./flow.js"
import { clearFlow, type FlowCheck, flowCookie, forFormPost } from "./flow-cookies.js"
import { type FlowId, isFlowId } from "./flow-id.js"

export interface ReturningFlow {
  readonly provider: FlowProvider
  /** As when the flow began. */
  readonly party: string
  /** What the callback brought; null when it brought none. */
  readonly state: string | null
  readonly jar: CookieJar
}

/** What the check cookies hold of a flow, as far as its checks were in use. */
export interface ExpectedFlow {
  readonly state?: string
  readonly codeVerifier?: string
  readonly nonce?: string
}

export interface ResumedFlow {
  readonly expected: ExpectedFlow
  /**
   * Undefined for flows that an earlier release began, and where it is long: then the callback-url cookie may know it.
   */
  readonly callbackUrl: string | undefined
  /** Clear the check cookies; set them whatever comes of the flow. */
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Finds the flow that a callback's `state` belongs to, and spends it. The state is looked at before anything else, so
 * that a forged callback cannot clear the cookies of a flow under way.
 * @throws InvalidCheck (inside a Refusal once cookies must be cleared) unless this browser began it at this provider
 */
export async function resumeFlow(needs: FlowNeeds, returning: ReturningFlow): Promise<ResumedFlow> {
  const { provider, state, jar } = returning
  if (provider.checks.includes("none")) return { expected: {}, callbackUrl: undefined, cookies: [] }
  const flow = await findFlow(needs, returning)
  const own = await openState(needs, returning, flow)
  const options = provider.isFormPost ? forFormPost(needs.cookies) : needs.cookies
  const cookies = clearFlow(options, flow, jar)
  try {
    const codeVerifier = await openIfUsed("pkce", { check: "pkceCodeVerifier", flow }, needs, returning)
    const nonce = await openIfUsed("nonce", { check: "nonce", flow }, needs, returning)
    const isFirst = await needs.spent.spend(flow ?? state ?? codeVerifier?.value ?? "")
    if (!isFirst) throw refusal("state: the flow was completed before", returning)
    return {
      expected: {
        ...(state !== null && { state }),
        ...(codeVerifier && { codeVerifier: codeVerifier.value }),
        ...(nonce && { nonce: nonce.value }),
      },
      callbackUrl: own?.callbackUrl,
      cookies,
    }
  } catch (error) {
    throw new Refusal(error, cookies)
  }
}

/** Undefined for a flow that an earlier release began: those have no id, and without the `state` check no state. */
async function findFlow(needs: FlowNeeds, { provider, state, jar }: ReturningFlow): Promise<FlowId | undefined> {
  if (state === null) {
    const isProtectedOtherwise = provider.checks.includes("pkce") && !provider.checks.includes("state")
    const isLegacy = isProtectedOtherwise && jar.get(needs.cookies.pkceCodeVerifier.name) !== undefined
    if (isLegacy) return undefined
    throw refusal("state: the callback has none", { provider })
  }
  const claims = await needs.sealer.open(statePurpose, state)
  if (claims === null) throw refusal("state: not made here, or expired", { provider })
  return isFlowId(claims["flow"]) ? claims["flow"] : undefined
}

async function openState(needs: FlowNeeds, returning: ReturningFlow, flow: FlowId | undefined): Promise<Opened | null> {
  if (returning.state === null) return null
  const opened = await openCookie({ check: "state", flow }, needs, returning)
  if (!opened || !isEqualInConstantTime(opened.value, returning.state)) {
    throw refusal("state: this browser did not begin the flow at this provider, or too long ago", returning)
  }
  // Flows that an earlier release began name no party.
  if (opened.party === undefined || opened.party === returning.party) return opened
  throw refusal(
    "state: the provider's issuer, client id or callback address was another when the flow began",
    returning,
  )
}

function refusal(message: string, { provider }: Pick<ReturningFlow, "provider">): InvalidCheck {
  return new InvalidCheck(message, { provider: provider.id })
}

interface SealedCheck {
  readonly check: FlowCheck
  readonly flow: FlowId | undefined
}

interface Opened {
  readonly value: string
  readonly party: string | undefined
  readonly callbackUrl: string | undefined
}

/** @throws InvalidCheck when the provider uses the check and its cookie does not open */
async function openIfUsed(
  name: "pkce" | "nonce",
  sealed: SealedCheck,
  needs: FlowNeeds,
  returning: ReturningFlow,
): Promise<Opened | null> {
  if (!returning.provider.checks.includes(name)) return null
  const opened = await openCookie(sealed, needs, returning)
  if (!opened) throw refusal(`${name}: the check cookie is absent, foreign or expired`, returning)
  return opened
}

async function openCookie(
  { check, flow }: SealedCheck,
  { cookies, sealer }: FlowNeeds,
  { provider, jar }: ReturningFlow,
): Promise<Opened | null> {
  const text = jar.get(flowCookie(cookies, check, flow).name)
  const claims = text === undefined ? null : await sealer.open(cookies[check].name, text)
  const isOfFlow = claims?.["provider"] === provider.id && claims["flow"] === flow
  if (!isOfFlow || typeof claims["value"] !== "string") return null
  return { value: claims["value"], party: toText(claims["party"]), callbackUrl: toText(claims["callbackUrl"]) }
}

function toText(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined
}
