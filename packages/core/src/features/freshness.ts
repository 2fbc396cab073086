import type { AuthMethod } from "../account/proof.js"
import {
  areEnough,
  countFactors,
  type FreshnessRequirement,
  findRecent,
  type SessionProof,
} from "../account/session-proofs.js"
import { FreshnessRequired } from "../errors/errors.js"
import { findFormPage } from "../http/form-page.js"
import type { AuthRequest } from "../http/request.js"
import { json, type Reply, redirect, withQuery } from "../http/response.js"
import { toDate } from "../runtime/merge.js"
import { systemClock } from "../runtime/promise.js"
import type { SessionRequest } from "../session/session.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"
import { type ActionContext, findGate } from "./feature.js"

/** The context with the rule that decides whether users may change their sessions. */
export function withFreshness(
  context: ActionContext,
): ActionContext & { readonly isFresh: (request: SessionRequest) => Promise<boolean> } {
  return { ...context, isFresh: (request) => isFresh(request, context) }
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
  if (gate) return (await isLive(request, context)) ? gate.readProofs(userId, request, context) : []
  return findSignIn(request, context)
}

/** The sign-in that the session began with, as its record has it. */
async function findSignIn(request: SessionRequest, context: ActionContext): Promise<readonly SessionProof[]> {
  const detail = await findDetail(request, context)
  if (!detail || detail.amr === "") return []
  const methods = detail.amr.split(" ") as readonly AuthMethod[] // As `records.ts` wrote them.
  const { provider, createdAt } = detail
  return [{ methods, factors: countFactors(methods), time: toDate(createdAt).valueOf(), provider }]
}

/**
 * Whether the session of a request goes on, however recently the store was asked for it: until it is asked again, the thief
 * of a stateless session could otherwise add a way to sign in after its user has ended it. True without `session.track`.
 */
export async function isLive(request: SessionRequest, context: ActionContext): Promise<boolean> {
  return !context.sessions.identify || (await findDetail(request, context)) !== undefined
}

/**
 * Whether the user of the session re-authenticated in the last ten minutes, or `freshFor`, with every factor they have. True if neither a
 * gate nor a record of the session can tell.
 */
export async function isFresh(request: SessionRequest, context: ActionContext): Promise<boolean> {
  const gate = findGate(context)
  if (gate) return gate.isFresh(request, context)
  if (!context.sessions.identify) return true
  const requirement = { maxAgeSeconds: context.config.freshFor }
  return areEnough(findRecent(await findSignIn(request, context), requirement, systemClock()), {})
}

/** The record of the session of a request, as it is stored now. */
async function findDetail(
  request: SessionRequest,
  { sessions, store }: ActionContext,
): Promise<AdapterSessionDetail | undefined> {
  const session = await sessions.identify?.(request)
  const details = session && store ? await store.listSessionsByUserId(session.userId) : []
  return details.find(({ id }) => id === session?.id)
}

interface ConfirmTarget {
  /** Where to go afterwards. */
  readonly callbackUrl: string
  readonly requirement?: FreshnessRequirement
  /**
   * Whether to ask in any case. For a proof by a process whose clock is ahead, which would find it recent, and lead back here
   * for ever. Default: false.
   */
  readonly isAskedAgain?: boolean
}

/** The page where users re-authenticate: `confirm` of the feature that has it, else the sign-in page. */
export function toConfirmUrl(
  request: { readonly url: URL },
  context: ActionContext,
  { callbackUrl, requirement = {}, isAskedAgain = false }: ConfirmTarget,
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
    again: isAskedAgain ? "true" : undefined,
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
  const maxAge = target.requirement?.maxAgeSeconds ?? context.config.freshFor
  return {
    headers: {
      "www-authenticate": `Latchkey error="insufficient_user_authentication", max_age=${maxAge}`,
    },
    body: { url: toConfirmUrl(request, context, target) },
  }
}

/** Refuses to add an account to the user of a session who has not re-authenticated recently: leads to the page that asks. */
export function refuseAddition(
  { provider, userId }: { readonly provider: string; readonly userId: string },
  request: AuthRequest,
  context: ActionContext,
): Reply {
  const error = new FreshnessRequired("The user must re-authenticate to add a sign-in method", { provider })
  context.log.errorOnce(error, { ...request, userId })
  const { body, headers } = toChallenge(request, context)
  if (request.route !== "webauthn-options") return redirect(body.url)
  return json({ error: error.type, ...body }, { status: 403, headers })
}
