import type { ResponseCookie } from "../contract/response.js"
import { clearedCookie } from "../web/cleared-cookie.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { defaultRequestLimits } from "../web/request-limits.js"
import { type Challenge, type ChallengeNeeds, openChallenge, sealChallenge } from "./challenge.js"
import { createFlowId, isFlowId } from "./flow-id.js"

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
export function namesAside({ cookie }: Pick<ChallengeNeeds, "cookie">, jar: CookieJar): readonly string[] {
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
