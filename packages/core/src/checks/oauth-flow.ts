import { isEqualInConstantTime } from "../crypto/hash.js"
import { randomHex, randomVerifier, toCodeChallenge } from "../crypto/random.js"
import type { Sealer } from "../crypto/seal.js"
import { InvalidCheck } from "../errors/errors.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { defaultRequestLimits } from "../http/limits.js"
import { Refusal } from "../http/response.js"
import type { Clock } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { OidcCheck } from "../types/oauth-provider.js"
import { createFlowId, type FlowId, isFlowId, type ReplayGuard } from "./replay.js"

/** Sign-in flows at a provider. Each has its own cookies, so that several tabs do not disturb one another. */
export interface Flows {
  begin(flow: NewFlow): Promise<StartedFlow>
  resume(flow: ReturningFlow): Promise<ResumedFlow>
  /** The address that a state asks to be passed on to; null when it names none or is not ours. */
  findReturnAddress(state: string): Promise<string | null>
}

export function createFlows(needs: FlowNeeds): Flows {
  return {
    begin: (flow) => beginFlow(needs, flow),
    resume: (flow) => resumeFlow(needs, flow),
    async findReturnAddress(state) {
      const claims = await needs.sealer.open(statePurpose, state)
      return typeof claims?.["origin"] === "string" ? claims["origin"] : null
    },
  }
}

/** What of a provider decides how its flows are protected. */
export interface FlowProvider {
  readonly id: string
  readonly checks: readonly OidcCheck[]
  readonly isFormPost: boolean
}

/** What beginning and resuming flows need. */
interface FlowNeeds {
  readonly cookies: FlowCookieOptions
  readonly sealer: Sealer
  readonly spent: ReplayGuard
  readonly clock: Clock
  /** How long a person may take at the provider. */
  readonly ttlSeconds: number
  /** How many a browser may have under way. Default: that of `requestLimits`. */
  readonly maxFlows?: number
}

/** Purpose of the sealed value that travels through the provider as `state`. */
const statePurpose = "encodedState"

interface NewFlow {
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
async function beginFlow(
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

interface ReturningFlow {
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
async function resumeFlow(needs: FlowNeeds, returning: ReturningFlow): Promise<ResumedFlow> {
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

/** The cookies that hold what a flow must bring back, as configured. */
interface FlowCookieOptions {
  readonly state: CookieOption
  readonly pkceCodeVerifier: CookieOption
  readonly nonce: CookieOption
}

type FlowCheck = keyof FlowCookieOptions

const flowChecks: readonly FlowCheck[] = ["state", "pkceCodeVerifier", "nonce"]

/** The cookie of one check of one flow; without a flow the plain one, which earlier releases used. */
function flowCookie(cookies: FlowCookieOptions, check: FlowCheck, flow: FlowId | undefined): CookieOption {
  const { name, options } = cookies[check]
  return { name: flow === undefined ? name : `${name}.${flow}`, options }
}

/** Clears whatever the browser holds of a flow. */
function clearFlow(cookies: FlowCookieOptions, flow: FlowId | undefined, jar: CookieJar): readonly ResponseCookie[] {
  return flowChecks
    .map((check) => flowCookie(cookies, check, flow))
    .filter(({ name }) => jar.get(name) !== undefined)
    .map(clearedCookie)
}

/**
 * Makes room for one more flow: the oldest give way, so that cookies do not pile up until servers refuse the header.
 */
function clearOldFlows(cookies: FlowCookieOptions, jar: CookieJar, maxFlows: number): readonly ResponseCookie[] {
  const prefix = `${cookies.state.name}.`
  const flows = jar
    .namesStarting(prefix)
    .map((name) => name.slice(prefix.length))
    .filter(isFlowId)
    .sort()
  const surplus = flows.slice(0, Math.max(0, flows.length - maxFlows + 1))
  return surplus.flatMap((flow) => clearFlow(cookies, flow, jar))
}

/** A provider that answers by a form posts from its own site, which a `Lax` cookie does not survive. */
function forFormPost(cookies: FlowCookieOptions): FlowCookieOptions {
  const toCrossSite = ({ name, options }: CookieOption): CookieOption => {
    return { name, options: { ...options, sameSite: "none", secure: true } }
  }
  return {
    state: toCrossSite(cookies.state),
    pkceCodeVerifier: toCrossSite(cookies.pkceCodeVerifier),
    nonce: toCrossSite(cookies.nonce),
  }
}
