import type { Sealer } from "../crypto/seal.js"
import { InvalidCheck, WebAuthnVerificationError } from "../errors/errors.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { defaultRequestLimits } from "../http/limits.js"
import { Refusal } from "../http/response.js"
import type { Clock } from "../types/basics.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import { createFlowId, type FlowId, isFlowId, type ReplayGuard } from "./replay.js"

/** `register` makes a passkey, `authenticate` signs in with one. */
export type CeremonyAction = "register" | "authenticate"

export type RegisterData = Readonly<Record<string, unknown>>

/** What a challenge is bound to. */
export interface Challenge {
  /** Base64url, as the browser is to repeat it. */
  readonly challenge: string
  readonly action: CeremonyAction
  /** For whom the passkey is made; absent for a sign-in. */
  readonly registerData?: RegisterData
  /** Id of the user who was signed in when a passkey was asked for; absent when it makes a new user. */
  readonly starter?: string
  /** Digests of the credentials that were listed; absent when any may answer. */
  readonly allowed?: readonly string[]
}

/** What issuing and redeeming challenges need. */
export interface ChallengeNeeds {
  /** The newest challenge of a browser has the configured name, older pending ones have `<name>.<flow id>`. */
  readonly cookie: CookieOption
  readonly sealer: Sealer
  readonly spent: ReplayGuard
  readonly clock: Clock
  /** How long a person may take. */
  readonly ttlSeconds: number
  /** How many a browser may have pending: few, since their cookies are large. Default: that of `requestLimits`. */
  readonly maxPending?: number
}

/** A challenge as a browser's cookie holds it. */
interface PendingChallenge extends Challenge {
  readonly flow: FlowId
}

/** Purpose of the sealed value inside the cookie. */
const challengePurpose = "encodedWebauthnChallenge"

/** The cookie's value: sealed for the cookie's name with the provider beside it, and the challenge sealed within. */
async function sealChallenge(
  { cookie, sealer, ttlSeconds }: ChallengeNeeds,
  pending: PendingChallenge,
  provider: string,
): Promise<string> {
  const value = await sealer.seal(challengePurpose, { ...pending }, ttlSeconds)
  return sealer.seal(cookie.name, { value, provider }, ttlSeconds)
}

/** Null for whatever was not made here, has expired, or was made for another purpose. */
async function openChallenge(
  { cookie, sealer }: ChallengeNeeds,
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
      ...(typeof starter === "string" && { starter }),
      ...(isTextList(allowed) && { allowed }),
      ...(isRecord(registerData) && { registerData }),
    },
  }
}

export function isAction(value: unknown): value is CeremonyAction {
  return value === "register" || value === "authenticate"
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

function isRecord(value: unknown): value is RegisterData {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export interface NewChallenge extends Challenge {
  readonly provider: string
  readonly jar: CookieJar
}

/**
 * The cookies that hold a new challenge. One that another tab still waits for moves aside: a page whose fields offer
 * passkeys asks for a challenge whenever it is opened, which must not make those of other pages useless.
 */
export async function issueChallenge(
  needs: ChallengeNeeds,
  { provider, jar, ...challenge }: NewChallenge,
): Promise<readonly ResponseCookie[]> {
  const { cookie, clock, ttlSeconds, maxPending = defaultRequestLimits.passkeyChallenges } = needs
  const sealed = await sealChallenge(needs, { ...challenge, flow: createFlowId(clock) }, provider)
  const options = { ...cookie.options, expires: new Date(clock() + ttlSeconds * 1000) }
  const moved = await moveAside(needs, jar)
  const others = [...new Set([...namesAside(needs, jar), ...moved.map(({ name }) => name)])].sort()
  const surplus = others.slice(0, Math.max(0, others.length - maxPending + 1))
  return [
    { name: cookie.name, value: sealed, options },
    ...moved.filter(({ name }) => !surplus.includes(name)).map((other) => ({ ...other, options })),
    ...surplus
      .filter((name) => jar.get(name) !== undefined)
      .map((name) => clearedCookie({ name, options: cookie.options })),
  ]
}

/** Names begin with the time, so that sorting them puts the oldest first. */
function namesAside({ cookie }: Pick<ChallengeNeeds, "cookie">, jar: CookieJar): readonly string[] {
  const prefix = `${cookie.name}.`
  return jar.namesStarting(prefix).filter((name) => isFlowId(name.slice(prefix.length)))
}

async function moveAside(
  needs: ChallengeNeeds,
  jar: CookieJar,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
  const { name } = needs.cookie
  const value = jar.get(name)
  const opened = value === undefined ? null : await openChallenge(needs, value)
  return opened && value !== undefined ? [{ name: `${name}.${opened.pending.flow}`, value }] : []
}

/** What a browser brought back. */
interface ReturnedChallenge {
  readonly provider: string
  readonly action: CeremonyAction
  /** As the browser repeats it. */
  readonly challenge: string
  readonly jar: CookieJar
}

export interface RedeemedChallenge extends Challenge {
  /** Clear the challenge's cookie; set them whatever comes of the ceremony. */
  readonly cookies: readonly ResponseCookie[]
}

/** More than a browser is given; each costs two decryptions. */
const maxOpened = 10

/**
 * Finds the challenge that was answered among those of this browser, and spends it before anything is verified: however
 * many requests bring it, one of them goes on.
 * @throws InvalidCheck without a challenge of this provider and purpose; WebAuthnVerificationError for another
 *   challenge
 */
export async function redeemChallenge(needs: ChallengeNeeds, returned: ReturnedChallenge): Promise<RedeemedChallenge> {
  const pending = await findPending(needs, returned)
  if (pending.length === 0) throw new InvalidCheck("challenge: the cookie is absent, expired, or of another provider")
  const found = pending.find(({ challenge }) => challenge === returned.challenge)
  if (!found) throw new WebAuthnVerificationError("challenge: not one that this browser was given")
  const { name, flow, ...challenge } = found
  const cookies = [clearedCookie({ name, options: needs.cookie.options })]
  try {
    if (challenge.action !== returned.action) throw new InvalidCheck("challenge: made for the other purpose")
    if (!(await needs.spent.spend(flow))) throw new InvalidCheck("challenge: used before")
  } catch (error) {
    throw new Refusal(error, cookies)
  }
  return { ...challenge, cookies }
}

async function findPending(needs: ChallengeNeeds, { provider, jar }: ReturnedChallenge) {
  const { name: plain } = needs.cookie
  // A neighbouring site may have planted a cookie of the same name before ours.
  const plains = jar.values(plain).map((value) => ({ name: plain, value }))
  const others = namesAside(needs, jar).map((name) => ({ name, value: jar.get(name) ?? "" }))
  const opened = await Promise.all(
    [...plains, ...others].slice(0, maxOpened).map(async ({ name, value }) => {
      const found = await openChallenge(needs, value)
      return found?.provider === provider ? [{ ...found.pending, name }] : []
    }),
  )
  return opened.flat()
}
