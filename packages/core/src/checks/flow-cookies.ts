import type { CookieOption } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"
import { clearedCookie } from "../web/cleared-cookie.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { type FlowId, isFlowId } from "./flow-id.js"

/** The cookies that hold what a flow must bring back, as configured. */
export interface FlowCookieOptions {
  readonly state: CookieOption
  readonly pkceCodeVerifier: CookieOption
  readonly nonce: CookieOption
}

export type FlowCheck = keyof FlowCookieOptions

const flowChecks: readonly FlowCheck[] = ["state", "pkceCodeVerifier", "nonce"]

/** The cookie of one check of one flow; without a flow the plain one, which earlier releases used. */
export function flowCookie(cookies: FlowCookieOptions, check: FlowCheck, flow: FlowId | undefined): CookieOption {
  const { name, options } = cookies[check]
  return { name: flow === undefined ? name : `${name}.${flow}`, options }
}

/** Clears whatever the browser holds of a flow. */
export function clearFlow(
  cookies: FlowCookieOptions,
  flow: FlowId | undefined,
  jar: CookieJar,
): readonly ResponseCookie[] {
  return flowChecks
    .map((check) => flowCookie(cookies, check, flow))
    .filter(({ name }) => jar.get(name) !== undefined)
    .map(clearedCookie)
}

/**
 * Makes room for one more flow: the oldest give way, so that cookies do not pile up until servers refuse the header.
 */
export function clearOldFlows(cookies: FlowCookieOptions, jar: CookieJar, maxFlows: number): readonly ResponseCookie[] {
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
export function forFormPost(cookies: FlowCookieOptions): FlowCookieOptions {
  const toCrossSite = ({ name, options }: CookieOption): CookieOption => {
    return { name, options: { ...options, sameSite: "none", secure: true } }
  }
  return {
    state: toCrossSite(cookies.state),
    pkceCodeVerifier: toCrossSite(cookies.pkceCodeVerifier),
    nonce: toCrossSite(cookies.nonce),
  }
}
