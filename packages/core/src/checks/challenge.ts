import type { Sealer } from "../crypto/seal.js"
import { InvalidCheck, WebAuthnVerificationError } from "../errors/errors.js"
import { because } from "../errors/failure-reason.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { defaultRequestLimits } from "../http/limits.js"
import { Refusal } from "../http/response.js"
import { isRecord } from "../runtime/json.js"
import type { Clock } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import { createFlowId, type FlowId, isFlowId, type ReplayGuard } from "./replay.js"

/** `register` creates a passkey, `authenticate` signs in with one. */
export type CeremonyAction = "register" | "authenticate"

export function isAction(value: unknown): value is CeremonyAction {
  return value === "register" || value === "authenticate"
}

export type RegisterData = Readonly<Record<string, unknown>>

/** A WebAuthn challenge, and what it may be used for. */
export interface Challenge {
  /** Base64url, as the authenticator signs it. */
  readonly challenge: string
  readonly action: CeremonyAction
  /** The user for whom the passkey is created; absent for a sign-in. */
  readonly registerData?: RegisterData
  /** Id of the user who was signed in when the registration began; absent when it creates a new user. */
  readonly initiatorId?: string
  /** Digests of the credentials that may answer; absent when any may. */
  readonly allowed?: readonly string[]
}

export interface ChallengeDeps {
  /** The newest challenge of a browser is stored under the configured name, older pending ones as `<name>.<flow id>`. */
  readonly cookie: CookieOption
  readonly sealer: Sealer
  readonly replayGuard: ReplayGuard
  readonly clock: Clock
  /** How long a ceremony may take. */
  readonly ttlSeconds: number
  /** How many challenges a browser may have pending: few, since their cookies are large. Default: that of `requestLimits`. */
  readonly maxPending?: number
}

export interface NewChallenge extends Challenge {
  readonly provider: string
  readonly jar: CookieJar
}

/**
 * The cookies that store a new challenge. A challenge that another tab may still answer is moved aside: pages with
 * passkey autofill request one whenever they are opened, which must not invalidate those of other pages.
 */
export async function issueChallenge(
  deps: ChallengeDeps,
  { provider, jar, ...challenge }: NewChallenge,
): Promise<readonly ResponseCookie[]> {
  const { cookie, clock, ttlSeconds, maxPending = defaultRequestLimits.passkeyChallenges } = deps
  const sealed = await sealChallenge(deps, { ...challenge, flow: createFlowId(clock) }, provider)
  const options = { ...cookie.options, expires: new Date(clock() + ttlSeconds * 1000) }
  const moved = await moveAside(deps, jar)
  const others = [...new Set([...namesAside(deps, jar), ...moved.map(({ name }) => name)])].sort()
  const surplus = others.slice(0, Math.max(0, others.length - maxPending + 1))
  return [
    { name: cookie.name, value: sealed, options },
    ...moved.filter(({ name }) => !surplus.includes(name)).map((other) => ({ ...other, options })),
    ...surplus
      .filter((name) => jar.get(name) !== undefined)
      .map((name) => clearedCookie({ name, options: cookie.options })),
  ]
}

/** The names of older challenges. They start with the time, so that sorting puts the oldest first. */
function namesAside({ cookie }: ChallengeDeps, jar: CookieJar): readonly string[] {
  const prefix = `${cookie.name}.`
  return jar.namesStarting(prefix).filter((name) => isFlowId(name.slice(prefix.length)))
}

/** The newest challenge so far, under the name of an older one. */
async function moveAside(
  deps: ChallengeDeps,
  jar: CookieJar,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const { name } = deps.cookie
  const value = jar.get(name)
  const opened = value === undefined ? null : await openChallenge(deps, value)
  return opened && value !== undefined ? [{ name: `${name}.${opened.pending.flow}`, value }] : []
}

interface ReturnedChallenge {
  readonly provider: string
  readonly action: CeremonyAction
  /** From the client data that the authenticator signed. */
  readonly challenge: string
  readonly jar: CookieJar
}

export interface RedeemedChallenge extends Challenge {
  /** Clear the challenge's cookie. To be set whether or not the ceremony succeeds. */
  readonly cookies: readonly ResponseCookie[]
}

/**
 * Finds the answered challenge among those of this browser, and consumes it before anything is verified: of several
 * requests with the same challenge only one continues.
 * @throws InvalidCheck without a challenge of this provider and action; WebAuthnVerificationError for another challenge
 */
export async function redeemChallenge(deps: ChallengeDeps, returned: ReturnedChallenge): Promise<RedeemedChallenge> {
  const pending = await findPending(deps, returned)
  if (pending.length === 0)
    throw new InvalidCheck(
      "challenge: the cookie is missing, expired, of another provider, or sealed with another secret",
      because("flow-cookies-missing"),
    )
  const found = pending.find(({ challenge }) => challenge === returned.challenge)
  if (!found) throw new WebAuthnVerificationError("challenge: not issued to this browser")
  const { name, flow, ...challenge } = found
  const cookies = [clearedCookie({ name, options: deps.cookie.options })]
  try {
    if (challenge.action !== returned.action)
      throw new InvalidCheck("challenge: issued for the other action", because("request-invalid"))
    if (!(await deps.replayGuard.consume(flow)))
      throw new InvalidCheck("challenge: already used", { isCopied: true, ...because("flow-completed") })
  } catch (error) {
    throw new Refusal(error, cookies)
  }
  return { ...challenge, cookies }
}

/**
 * Of the cookies with the plain name, and of the others: more than a browser is given; each costs two decryptions. The
 * last ones count, because browsers send longer paths first (RFC 6265 section 5.4), and a neighboring site can plant any
 * number of those.
 */
const maxOpened = 10

async function findPending(deps: ChallengeDeps, { provider, jar }: ReturnedChallenge) {
  const { name: plain } = deps.cookie
  const plains = jar.values(plain).map((value) => ({ name: plain, value }))
  const others = namesAside(deps, jar).map((name) => ({ name, value: jar.get(name) ?? "" }))
  const opened = await Promise.all(
    [...plains.slice(-maxOpened), ...others.slice(-maxOpened)].map(async ({ name, value }) => {
      const found = await openChallenge(deps, value)
      return found?.provider === provider ? [{ ...found.pending, name }] : []
    }),
  )
  return opened.flat()
}

/** A challenge as the cookie holds it. */
interface PendingChallenge extends Challenge {
  readonly flow: FlowId
}

/** Purpose of the sealed challenge inside the cookie's sealed value. */
const challengePurpose = "encodedWebauthnChallenge"

/** Sealed twice, as the contract has it: the challenge, and around it the provider for the cookie's name. */
async function sealChallenge(
  { cookie, sealer, ttlSeconds }: ChallengeDeps,
  { initiatorId, ...pending }: PendingChallenge,
  provider: string,
): Promise<string> {
  const claims = { ...pending, ...(initiatorId !== undefined && { starter: initiatorId }) }
  const value = await sealer.seal(challengePurpose, claims, ttlSeconds)
  return sealer.seal(cookie.name, { value, provider }, ttlSeconds)
}

/** Null for a value that was not sealed here, has expired, or was sealed for another purpose. */
async function openChallenge(
  { cookie, sealer }: ChallengeDeps,
  text: string,
): Promise<{ readonly provider: unknown; readonly pending: PendingChallenge } | null> {
  const outer = await sealer.open(cookie.name, text)
  if (typeof outer?.["value"] !== "string") return null
  const claims = await sealer.open(challengePurpose, outer["value"])
  const { challenge, action, flow, starter, allowed, registerData } = claims ?? {}
  if (typeof challenge !== "string" || !isAction(action) || !isFlowId(flow)) return null
  return {
    provider: outer["provider"],
    pending: {
      challenge,
      action,
      flow,
      ...(typeof starter === "string" && { initiatorId: starter }),
      ...(isTextList(allowed) && { allowed }),
      ...(isRecord(registerData) && { registerData }),
    },
  }
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}
