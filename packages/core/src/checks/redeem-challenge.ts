import type { ResponseCookie } from "../contract/response.js"
import { InvalidCheck } from "../errors/flow.js"
import { WebAuthnVerificationError } from "../errors/sign-in.js"
import { clearedCookie } from "../web/cleared-cookie.js"
import type { CookieJar } from "../web/cookie-jar.js"
import { Refusal } from "../web/refusal.js"
import { type CeremonyAction, type Challenge, type ChallengeNeeds, openChallenge } from "./challenge.js"
import { namesAside } from "./issue-challenge.js"

/** What a browser brought back. */
export interface ReturnedChallenge {
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
