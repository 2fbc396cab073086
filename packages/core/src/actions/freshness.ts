import type { AuthMethod } from "../account/proof.js"
import {
  countFactors,
  defaultMaxAgeSeconds,
  type FreshnessRequirement,
  type SessionProof,
} from "../account/session-proofs.js"
import { findFormPage } from "../http/form-page.js"
import { withQuery } from "../http/response.js"
import type { SessionRequest } from "../session/session.js"
import { findGate } from "./callback.js"
import type { ActionContext } from "./context.js"

/** The context with the rule of the feature that decides how recently users must have proved who they are. */
export function withFreshness(
  context: ActionContext,
): ActionContext & { readonly isFresh?: (request: SessionRequest) => Promise<boolean> } {
  const gate = findGate(context)
  return gate ? { ...context, isFresh: (request) => gate.isFresh(request, context) } : context
}

/**
 * How the user of the session proved who they are: as the gate remembers it, else as the record of the session has it.
 */
export async function findProofs(
  userId: string,
  request: SessionRequest,
  context: ActionContext,
): Promise<readonly SessionProof[]> {
  const gate = findGate(context)
  if (gate) return gate.readProofs(userId, request, context)
  const { sessions, store } = context
  if (!sessions.identify || !store) return []
  const session = await sessions.identify(request)
  const details = session ? await store.listSessionsByUserId(session.userId) : []
  const detail = details.find(({ id }) => id === session?.id)
  if (!detail || detail.amr === "") return []
  const methods = detail.amr.split(" ") as readonly AuthMethod[] // As `records.ts` wrote them.
  const { provider, createdAt } = detail
  return [{ methods, factors: countFactors(methods), time: createdAt.valueOf(), provider }]
}

interface ConfirmTarget {
  /** Where to go afterwards. */
  readonly callbackUrl: string
  readonly requirement?: FreshnessRequirement
}

/** The page where users prove again who they are: `confirm` of the feature that has it, else the sign-in page. */
export function toConfirmUrl(
  request: { readonly url: URL },
  context: ActionContext,
  { callbackUrl, requirement = {} }: ConfirmTarget,
): string {
  const { features, pages, actionUrl } = context
  if (!features.some(({ routes }) => routes && "confirm" in routes)) {
    const page = pages.signIn ?? actionUrl(request, "signin")
    return withQuery(page, { callbackUrl, error: "SessionRequired" })
  }
  const { maxAgeSeconds, factors, phishingResistant } = requirement
  return withQuery(actionUrl(request, "confirm"), {
    callbackUrl,
    max_age: maxAgeSeconds?.toString(),
    factors: factors?.toString(),
    phishing_resistant: phishingResistant ? "true" : undefined,
  })
}

/** What a client gets that does not open pages: the challenge of RFC 9470, and the page to open. */
export interface FreshnessChallenge {
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly url: string }
}

/** @param target Default: the page that sent the request, else the app's root; not limited to a level. */
export function toChallenge(
  request: Pick<SessionRequest, "headers"> & { readonly url: URL },
  context: ActionContext,
  target: ConfirmTarget = { callbackUrl: findFormPage(request.headers, request.url.origin) ?? request.url.origin },
): FreshnessChallenge {
  const maxAge = target.requirement?.maxAgeSeconds ?? defaultMaxAgeSeconds
  return {
    headers: {
      "www-authenticate": `Latchkey error="insufficient_user_authentication", max_age=${maxAge}`,
    },
    body: { url: toConfirmUrl(request, context, target) },
  }
}
