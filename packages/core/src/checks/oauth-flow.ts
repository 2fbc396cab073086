import { isEqualInConstantTime } from "../crypto/hash.js"
import { randomHex, randomId, randomVerifier, toCodeChallenge } from "../crypto/random.js"
import { hasOtherKey, type SealedClaims, type Sealer } from "../crypto/seal.js"
import { InvalidCheck } from "../errors/errors.js"
import { type Because, because } from "../errors/failure-reason.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { defaultRequestLimits } from "../http/limits.js"
import { ownCookies, toOwnCookie } from "../http/own-cookies.js"
import { Refusal } from "../http/response.js"
import { all, andThen, isPromiseLike } from "../runtime/promise.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import type { OidcCheck } from "../types/oauth-provider.js"
import type { OwnPlaces } from "./begun-at.js"
import { createFlowId, type FlowId, isFlowId, type ReplayGuard, startOf } from "./replay.js"
import { createState, findStateOrigin, idLength, type NewState, type StateOrigin } from "./state.js"

/**
 * Sign-in flows at OAuth providers, protected by `state`, PKCE and `nonce`. Each flow has its own check cookies, so that
 * several tabs can sign in at once.
 */
export interface Flows {
  /** Starts a flow: the values for the authorization request, and the cookies that will verify the callback. */
  begin(flow: NewFlow): Awaitable<StartedFlow>
  /**
   * Finds the flow of a callback by its `state`, verifies its cookies and consumes it.
   * @throws InvalidCheck, inside a Refusal when cookies must be cleared, unless this browser began the flow at this
   *   provider and has not completed it
   */
  resume(flow: ReturningFlow): Promise<ResumedFlow>
  /** The callback address that a redirect proxy forwards to; null when the state has none or was not sealed here. */
  findReturnAddress(state: string): Promise<string | null>
}

/** The options of a provider that decide how its flows are protected. */
export interface FlowProvider {
  readonly id: string
  readonly checks: readonly OidcCheck[]
  readonly isFormPost: boolean
  readonly redirectProxyUrl?: string | undefined
}

interface FlowDeps {
  readonly cookies: FlowCookies
  readonly sealer: Sealer
  /** The newest first. */
  readonly secrets: readonly string[]
  readonly replayGuard: ReplayGuard
  readonly clock: Clock
  /** How long a flow may take. */
  readonly ttlSeconds: number
  /** How many flows a browser may have pending. Default: that of `requestLimits`. */
  readonly maxFlows?: number
  /** Which hosts a refusal may name. Default: none. */
  readonly places?: OwnPlaces
}

export function createFlows(deps: FlowDeps): Flows {
  return {
    begin: (flow) => beginFlow(deps, flow),
    resume: (flow) => resumeFlow(deps, flow),
    async findReturnAddress(state) {
      const claims = await deps.sealer.open(statePurpose, state)
      return toText(claims?.["origin"]) ?? null
    },
  }
}

/**
 * Purpose of the sealed value that is sent to the provider as `state` where a redirect proxy has to read the callback address
 * in it. All flows of Auth.js and of earlier releases have one.
 */
const statePurpose = "encodedState"

interface NewFlow {
  readonly provider: FlowProvider
  /** Identifies the client at the provider. The flow must be resumed with the same value. */
  readonly clientBinding: string
  /** The callback address that the provider is given. */
  readonly redirectUri: string
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
  /** This service's own callback address, when a redirect proxy receives the callback. */
  readonly returnTo: string | undefined
  /** The id of the user who is signed in; null without one. */
  readonly initiatorId: string | null
  /** The scope that the provider is asked for. Default: the flow does not keep it. */
  readonly scope?: string | undefined
  readonly jar: CookieJar
}

/** The parameters of the authorization request, and the cookies that verify the callback. */
export interface StartedFlow {
  readonly state?: string
  readonly codeChallenge?: string
  readonly nonce?: string
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Characters. Browsers silently drop a cookie of more than 4096, and servers reject headers of more than 16 KiB, which
 * five flows must not fill.
 */
const maxSealedLength = 440

/** Every check but `none` also sends a `state`: many providers ignore PKCE, and the state identifies the flow. */
function beginFlow(deps: FlowDeps, flow: NewFlow): Awaitable<StartedFlow> {
  if (flow.provider.checks.includes("none")) return { cookies: [] }
  return andThen(createFlowState(deps, flow), (created) => protectFlow(deps, flow, created))
}

function protectFlow(deps: FlowDeps, flow: NewFlow, { id, state }: NewState): Awaitable<StartedFlow> {
  const { provider, clientBinding, callbackUrl, initiatorId, scope, jar } = flow
  const { cookies, sealer, ttlSeconds, maxFlows = defaultRequestLimits.flows } = deps
  const options = provider.isFormPost ? toCrossSite(cookies) : cookies

  // The purpose is the cookie's configured name. The provider and the flow are inside, so that neither can be swapped.
  function seal(check: FlowCheck, value: string, more?: Readonly<Record<string, string>>): Awaitable<ResponseCookie> {
    const claims = { value, provider: provider.id, flow: id, ...more }
    const cookie = flowCookie(options, check, id)
    return andThen(sealer.seal(cookies[check].name, claims, ttlSeconds), (sealed) => ({ ...cookie, value: sealed }))
  }

  const browser = bindBrowser(cookies, provider, jar)
  const codeVerifier = provider.checks.includes("pkce") ? randomVerifier() : undefined
  const nonce = provider.checks.includes("nonce") ? randomHex(32) : undefined
  const sealing = all([
    seal("state", state, {
      party: clientBinding,
      starter: initiatorId ?? "",
      ...(browser && { browser: browser.value }),
      ...(callbackUrl.length <= maxSealedLength && { callbackUrl }),
      ...(scope !== undefined && scope.length <= maxSealedLength && { scope }),
    }),
    ...(codeVerifier === undefined ? [] : [seal("pkceCodeVerifier", codeVerifier)]),
    ...(nonce === undefined ? [] : [seal("nonce", nonce)]),
  ])
  const toStarted = (fresh: readonly ResponseCookie[], codeChallenge?: string): StartedFlow => ({
    state,
    ...(codeChallenge !== undefined && { codeChallenge }),
    ...(nonce !== undefined && { nonce }),
    cookies: [...clearOldFlows(cookies, jar, maxFlows), ...fresh, ...(browser ? [browser] : [])],
  })
  return andThen(sealing, (fresh) =>
    codeVerifier === undefined
      ? toStarted(fresh)
      : andThen(toCodeChallenge(codeVerifier), (challenge) => toStarted(fresh, challenge)),
  )
}

function createFlowState(
  { sealer, secrets, clock, ttlSeconds }: FlowDeps,
  { clientBinding, redirectUri, returnTo: origin }: NewFlow,
): Awaitable<NewState> {
  if (origin === undefined) return createState({ clientBinding, redirectUri }, secrets[0] ?? "", clock)
  const id = createFlowId(clock)
  const sealing = sealer.seal(statePurpose, { random: randomHex(16), flow: id, origin }, ttlSeconds)
  return andThen(sealing, (state) => ({ id, state }))
}

interface ReturningFlow {
  readonly provider: FlowProvider
  /** The same as when the flow began. */
  readonly clientBinding: string
  /** The same as when the flow began. */
  readonly redirectUri: string
  /** The callback's `state`; null without one. */
  readonly state: string | null
  readonly jar: CookieJar
}

/** The values of the checks that the flow began with. */
export interface ExpectedFlow {
  readonly state?: string
  readonly codeVerifier?: string
  readonly nonce?: string
}

export interface ResumedFlow {
  readonly expected: ExpectedFlow
  /** Undefined when it was too long for the flow's cookie or the flow began under Auth.js: see the callback-url cookie. */
  readonly callbackUrl: string | undefined
  /**
   * The id of the user who was signed in when the flow began; null without one. Undefined when the flow does not tell: it
   * began under Auth.js or an earlier release, or the provider has no checks.
   */
  readonly initiatorId: string | null | undefined
  /** The scope that the provider was asked for. Undefined when it was too long for the flow's cookie, or is not kept. */
  readonly scope: string | undefined
  /** Clear the check cookies. To be set whether or not the sign-in succeeds. */
  readonly cookies: readonly ResponseCookie[]
}

/** Verifies the state before anything is cleared, so that a forged callback cannot end a pending flow. */
async function resumeFlow(deps: FlowDeps, returning: ReturningFlow): Promise<ResumedFlow> {
  const { provider, state, jar } = returning
  if (provider.checks.includes("none")) {
    return { expected: {}, callbackUrl: undefined, initiatorId: undefined, scope: undefined, cookies: [] }
  }
  const finding = findFlowId(deps, returning)
  const id = isPromiseLike(finding) ? await finding : finding
  const sent = readSent(deps.cookies, id, jar)
  const found: FoundFlow = { ...returning, id, sent }
  const verifying = state === null ? undefined : verifyState(deps, found, state)
  const claims = isPromiseLike(verifying) ? await verifying : verifying
  const cookies = clearFlow(provider.isFormPost ? toCrossSite(deps.cookies) : deps.cookies, id, sent)

  function openUsed(name: "pkce" | "nonce", check: FlowCheck): Awaitable<string | undefined> {
    if (!provider.checks.includes(name)) return undefined
    return andThen(openCookie(deps, found, check), (opened) => {
      if (opened) return opened.value
      throw refusal(`${name}: the check cookie is missing, expired, or from another flow`, found, "pkce-missing")
    })
  }

  try {
    const openingVerifier = openUsed("pkce", "pkceCodeVerifier")
    const codeVerifier = isPromiseLike(openingVerifier) ? await openingVerifier : openingVerifier
    const openingNonce = openUsed("nonce", "nonce")
    const nonce = isPromiseLike(openingNonce) ? await openingNonce : openingNonce
    const consuming = deps.replayGuard.consume(id ?? state ?? codeVerifier ?? "")
    const isFirst = isPromiseLike(consuming) ? await consuming : consuming
    // The browser that completed it has no check cookies any more.
    if (!isFirst) {
      const about = { provider: provider.id, isCopied: true, ...because("flow-completed", describeAge(id, deps)) }
      throw new InvalidCheck("state: the flow was already completed", about)
    }
    return {
      expected: {
        ...(state !== null && { state }),
        ...(codeVerifier !== undefined && { codeVerifier }),
        ...(nonce !== undefined && { nonce }),
      },
      callbackUrl: claims?.callbackUrl,
      initiatorId: claims?.initiatorId,
      scope: claims?.scope,
      cookies,
    }
  } catch (error) {
    throw new Refusal(error, cookies)
  }
}

/** Undefined for a flow that began under Auth.js: it has no id, and no state either unless `state` is a check. */
function findFlowId(deps: FlowDeps, returning: ReturningFlow): Awaitable<FlowId | undefined> {
  const { provider, state, jar } = returning
  if (state === null) {
    const isProtectedOtherwise = provider.checks.includes("pkce") && !provider.checks.includes("state")
    const isFromAuthJs = isProtectedOtherwise && jar.get(deps.cookies.pkceCodeVerifier.name) !== undefined
    if (isFromAuthJs) return undefined
    throw refusal("state: missing from the callback", returning, "state-missing")
  }
  // The cookie tells more than the digests of the place.
  const isHere = jar.get(`${deps.cookies.state.name}.${state.slice(0, idLength)}`) !== undefined
  return andThen(findStateOrigin(state, isHere ? null : returning, deps.secrets), (found) => {
    if (!found) return openFlowId(deps, returning, state)
    if (found.isOurs && (isHere || found.isSameApp)) return found.id
    return refuseForeign(found, deps, { ...returning, state })
  })
}

/** The id in a sealed state. */
async function openFlowId(deps: FlowDeps, returning: ReturningFlow, state: string): Promise<FlowId | undefined> {
  const claims = await deps.sealer.open(statePurpose, state)
  if (claims === null) {
    const isOther = await hasOtherKey([state], deps.secrets, statePurpose)
    const reason = isOther ? "state-other-secret" : "state-altered"
    throw refusal("state: not issued by this service, or expired", returning, reason)
  }
  return isFlowId(claims["flow"]) ? claims["flow"] : undefined
}

/**
 * Refuses a state that does not belong here, and says why: another secret made it, or it is of another host or client whose
 * cookies are not here.
 */
async function refuseForeign(
  { id, isOurs, isSameHost }: StateOrigin,
  deps: FlowDeps,
  returning: ReturningFlow & { readonly state: string },
): Promise<never> {
  if (!isOurs) {
    const message = "state: not issued by this service, or by a process of it with another secret"
    throw refusal(message, returning, "state-other-secret")
  }
  const { jar, redirectUri } = returning
  const from = isSameHost ? null : await findStart(deps, returning)
  const message = "state: the flow began at another host of this service, or with another client or issuer"
  throw refusal(message, returning, isSameHost ? "flow-other-client" : "flow-other-host", {
    ...describeAge(id, deps),
    ...describeCookies(deps, jar),
    ...(from !== null && { from }),
    host: URL.parse(redirectUri)?.host ?? "",
  })
}

/** The origin where the flow began, if the app configured it. */
async function findStart(
  { places, secrets }: FlowDeps,
  returning: ReturningFlow & { readonly state: string },
): Promise<string | null> {
  return places ? (await import("./begun-at.js")).findBegunAt(returning, places, secrets) : null
}

/** @returns the claims of the flow's state cookie. */
function verifyState(deps: FlowDeps, found: FoundFlow, state: string): Awaitable<CheckClaims> {
  return andThen(openCookie(deps, found, "state"), (claims) =>
    claims && isEqualInConstantTime(claims.value, state) ? assertBound(claims, deps, found) : refuseState(deps, found),
  )
}

async function refuseState(deps: FlowDeps, found: FoundFlow): Promise<never> {
  const message = "state: this browser did not begin the flow at this provider, or the flow expired"
  const { reason, facts } = await findLoss(deps, found)
  throw refusal(message, found, reason, facts)
}

/** @throws InvalidCheck if the flow belongs to another client or another browser */
function assertBound(claims: CheckClaims, deps: FlowDeps, found: FoundFlow): CheckClaims {
  const { provider, clientBinding, jar } = found
  // Flows that began under Auth.js have no client binding.
  if (claims.clientBinding !== undefined && claims.clientBinding !== clientBinding) {
    const message = "state: the provider's issuer, client id or callback address changed since the flow began"
    throw refusal(message, found, "flow-other-client")
  }
  if (claims.browser !== undefined && !isSameBrowser(claims.browser, findBrowserCookie(deps.cookies, provider), jar)) {
    const message = "state: another browser began the flow, and its check cookies were copied to this one"
    throw refusal(message, found, "flow-other-browser")
  }
  return claims
}

function refusal(
  message: string,
  { provider }: Pick<ReturningFlow, "provider">,
  ...[reason, facts]: Parameters<typeof because>
): InvalidCheck {
  return new InvalidCheck(message, { provider: provider.id, ...because(reason, facts) })
}

/** Why the state cookie of a flow of ours is missing, or does not open. */
async function findLoss(deps: FlowDeps, { id, sent, jar }: FoundFlow): Promise<Because> {
  const { cookies, secrets, ttlSeconds, maxFlows = defaultRequestLimits.flows } = deps
  const facts = { ...describeAge(id, deps), ...describeCookies(deps, jar) }
  const kept = sent.get("state")
  const isOther = kept !== undefined && (await hasOtherKey([kept], secrets, cookies.state.name))
  if (isOther) return because("state-other-secret", facts)
  if (facts.ageSeconds !== undefined && facts.ageSeconds > ttlSeconds)
    return because("flow-expired", { ...facts, allowedSeconds: ttlSeconds })
  if (kept !== undefined) return because("state-altered", facts)
  return because(facts.otherFlows >= maxFlows ? "flow-replaced" : "flow-cookies-missing", facts)
}

/** How long ago a flow began. Its id begins with the time. */
function describeAge(id: FlowId | undefined, { clock }: FlowDeps): { readonly ageSeconds?: number } {
  return id === undefined ? {} : { ageSeconds: Math.round((clock() - startOf(id)) / 1000) }
}

/** How many other flows have cookies in this browser. */
function describeCookies({ cookies }: FlowDeps, jar: CookieJar): { readonly otherFlows: number } {
  return { otherFlows: jar.namesStarting(`${cookies.state.name}.`).length }
}

interface CheckClaims {
  readonly value: string
  readonly clientBinding: string | undefined
  /** The secret of the browser that began the flow; undefined for a flow that is not bound to one. */
  readonly browser: string | undefined
  readonly callbackUrl: string | undefined
  /** See `ResumedFlow`. */
  readonly initiatorId: string | null | undefined
  readonly scope: string | undefined
}

/** Null when the cookie is missing, invalid or expired, or belongs to another provider or flow. */
function openCookie({ cookies, sealer }: FlowDeps, found: FoundFlow, check: FlowCheck): Awaitable<CheckClaims | null> {
  const text = found.sent.get(check)
  if (text === undefined) return null
  return andThen(sealer.open(cookies[check].name, text), (claims) => claims && toCheckClaims(claims, found))
}

/** Null for the cookie of another provider or flow. */
function toCheckClaims(claims: SealedClaims, { provider, id }: FoundFlow): CheckClaims | null {
  const isOfFlow = claims["provider"] === provider.id && claims["flow"] === id
  if (!isOfFlow || typeof claims["value"] !== "string") return null
  const starter = toText(claims["starter"])
  return {
    value: claims["value"],
    clientBinding: toText(claims["party"]),
    browser: toText(claims["browser"]),
    callbackUrl: toText(claims["callbackUrl"]),
    initiatorId: starter === "" ? null : starter,
    scope: toText(claims["scope"]),
  }
}

function toText(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined
}

/** The check cookies as configured. A flow's cookies have these names, followed by a dot and the flow's id. */
interface FlowCookies {
  readonly state: CookieOption
  readonly pkceCodeVerifier: CookieOption
  readonly nonce: CookieOption
}

type FlowCheck = keyof FlowCookies

const flowChecks: readonly FlowCheck[] = ["state", "pkceCodeVerifier", "nonce"]

/** Without an id the plain name, which Auth.js uses. */
function flowCookie(cookies: FlowCookies, check: FlowCheck, id: FlowId | undefined): CookieOption {
  const { name, options } = cookies[check]
  return { name: id === undefined ? name : `${name}.${id}`, options }
}

/** The check cookies of one flow that the browser sent. */
type SentCookies = ReadonlyMap<FlowCheck, string>

/** A returning flow, with its cookies. */
interface FoundFlow extends ReturningFlow {
  readonly id: FlowId | undefined
  readonly sent: SentCookies
}

function readSent(cookies: FlowCookies, id: FlowId | undefined, jar: CookieJar): SentCookies {
  const sent = new Map<FlowCheck, string>()
  for (const check of flowChecks) {
    const text = jar.get(flowCookie(cookies, check, id).name)
    if (text !== undefined) sent.set(check, text)
  }
  return sent
}

function clearFlow(cookies: FlowCookies, id: FlowId | undefined, sent: SentCookies): readonly ResponseCookie[] {
  return [...sent.keys()].map((check) => clearedCookie(flowCookie(cookies, check, id)))
}

/** Clears the oldest flows to make room for one more, so that cookies do not pile up until servers reject the header. */
function clearOldFlows(cookies: FlowCookies, jar: CookieJar, maxFlows: number): readonly ResponseCookie[] {
  const prefix = `${cookies.state.name}.`
  const ids = jar
    .namesStarting(prefix)
    .map((name) => name.slice(prefix.length))
    .filter(isFlowId)
    .sort()
  const surplus = ids.slice(0, Math.max(0, ids.length - maxFlows + 1))
  return surplus.flatMap((id) => clearFlow(cookies, id, readSent(cookies, id, jar)))
}

/** A form post comes from the provider's site, and browsers do not send `Lax` cookies with it. */
function toCrossSite({ state, pkceCodeVerifier, nonce }: FlowCookies): FlowCookies {
  const crossSite = ({ name, options }: CookieOption): CookieOption => {
    return { name, options: { ...options, sameSite: "none", secure: true } }
  }
  return { state: crossSite(state), pkceCodeVerifier: crossSite(pkceCodeVerifier), nonce: crossSite(nonce) }
}

/** Of base64url: 132 bits. */
const browserSecretLength = 22
const browserSecret = /^[\w-]{22}$/

/**
 * The cookie that binds flows to a browser, with the browser's secret: a sibling domain can plant the check cookies of a
 * flow that it began itself, but not a `__Host-` cookie (RFC 6265bis section 4.1.3.2). All flows of a browser share it.
 */
function bindBrowser(cookies: FlowCookies, provider: FlowProvider, jar: CookieJar): ResponseCookie | null {
  const cookie = findBrowserCookie(cookies, provider)
  if (cookie === null) return null
  const known = jar.get(cookie.name)
  const value = known !== undefined && browserSecret.test(known) ? known : randomId(browserSecretLength)
  return { ...cookie, value }
}

/**
 * Null when the state cookie has a domain: then the host lets sibling domains begin its flows. A form post has a cookie of
 * its own, because browsers send only `SameSite=None` cookies with it.
 */
function findBrowserCookie(cookies: FlowCookies, { isFormPost }: FlowProvider): CookieOption | null {
  const { domain, ...own } = cookies.state.options
  if (domain) return null
  const cookie = isFormPost ? ownCookies.formPostBrowser : ownCookies.browser
  const { name } = toOwnCookie(cookie, { isSecure: own.secure === true })
  const options = isFormPost ? toCrossSite(cookies).state.options : own
  return { name, options: { ...options, httpOnly: true, path: "/" } }
}

function isSameBrowser(secret: string, cookie: CookieOption | null, jar: CookieJar): boolean {
  return cookie === null || jar.values(cookie.name).some((value) => isEqualInConstantTime(value, secret))
}
