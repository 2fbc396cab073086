import type { Clock } from "../contract/clock.js"
import type { CookieOption } from "../contract/cookies.js"
import type { Sealer } from "../crypto/sealer.js"
import { type FlowId, isFlowId } from "./flow-id.js"
import type { SpentFlows } from "./spent-flows.js"

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
  readonly spent: SpentFlows
  readonly clock: Clock
  /** How long a person may take. */
  readonly ttlSeconds: number
  /** How many a browser may have pending: few, since their cookies are large. Default: that of `requestLimits`. */
  readonly maxPending?: number
}

/** A challenge as a browser's cookie holds it. */
export interface PendingChallenge extends Challenge {
  readonly flow: FlowId
}

/** Purpose of the sealed value inside the cookie. */
const challengePurpose = "encodedWebauthnChallenge"

/** The cookie's value: sealed for the cookie's name with the provider beside it, and the challenge sealed within. */
export async function sealChallenge(
  { cookie, sealer, ttlSeconds }: ChallengeNeeds,
  pending: PendingChallenge,
  provider: string,
): Promise<string> {
  const value = await sealer.seal(challengePurpose, { ...pending }, ttlSeconds)
  return sealer.seal(cookie.name, { value, provider }, ttlSeconds)
}

/** Null for whatever was not made here, has expired, or was made for another purpose. */
export async function openChallenge(
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
