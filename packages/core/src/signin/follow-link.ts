import type { EmailConfig } from "../contract/email-provider.js"
import type { IncomingRequest } from "../contract/incoming-request.js"
import { CallbackRouteError } from "../errors/flow.js"
import { Verification } from "../errors/sign-in.js"
import type { Reply } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { EmailNeeds } from "./email-needs.js"
import { findAddressOwner } from "./find-address-owner.js"
import { hashToken } from "./hash-token.js"
import type { Proven } from "./method.js"

/**
 * Spends the token of a mailed link, which proves whose address it is.
 * @throws Verification when the link does not work (any more)
 */
export async function followLink(visit: Visit, provider: EmailConfig, needs: EmailNeeds): Promise<Proven | Reply> {
  // Mail scanners and browsers fetch links ahead; that must not use them up. 503 makes a browser ask again.
  if (isPrefetch(visit.request)) return { status: 503, headers: { "cache-control": "no-store" } }
  const token = visit.url.searchParams.get("token")
  const email = visit.url.searchParams.get("email") ?? undefined
  if (!token) throw new CallbackRouteError("The link has no token", { provider: provider.id })
  const isGuessable = provider.generateVerificationToken !== undefined
  // Attempts are counted by address: a code that many may have would else be tried without end.
  if (isGuessable && email === undefined) throw new Verification("The link has no address", { provider: provider.id })
  const attempt = await needs.limits.tryToken({ address: email, isGuessable }, visit)
  const identifier = await spendToken({ token, email }, provider, needs)
  await attempt.succeed()
  return {
    proof: { kind: "email", ...(await findAddressOwner(identifier, provider, needs)) },
    callbackUrl: undefined,
    cookies: [],
  }
}

function isPrefetch({ headers }: Pick<IncomingRequest, "headers">): boolean {
  return [headers.get("sec-purpose"), headers.get("purpose")].some((purpose) => purpose?.includes("prefetch"))
}

/** @throws Verification, without saying whether the link was used, has expired or never existed */
async function spendToken(
  { token, email }: { readonly token: string; readonly email: string | undefined },
  provider: EmailConfig,
  needs: EmailNeeds,
): Promise<string> {
  for (const hash of await hashToken(token, provider, needs)) {
    // The contract hands on an absent address as undefined; a store finds nothing by it.
    const found = await needs.store.useVerificationToken({ identifier: email as string, token: hash })
    if (!found) continue
    const isAlive = new Date(found.expires).valueOf() > needs.clock()
    if (!isAlive) throw new Verification("The link has expired", { provider: provider.id })
    if (email !== undefined && found.identifier !== email) break
    return found.identifier
  }
  throw new Verification("The link was used already or never existed", { provider: provider.id })
}
