import { areEnough, findRecent, hasEarly, summarize } from "./account/session-proofs.js"
import { AdapterError, InvalidConfiguration, SessionTokenError } from "./errors/errors.js"
import type { ActionContext } from "./features/feature.js"
import { findProofs, toChallenge } from "./features/freshness.js"
import type { FreshSession, HostConfig, RequireFreshOptions } from "./features/functions.js"
import { findPreferred } from "./http/accept.js"
import { findFormPage } from "./http/form-page.js"
import { json, noStore, type Reply, toResponse, withQuery } from "./http/response.js"
import { getFunction, openService } from "./open-service.js"
import { toIdText } from "./runtime/id.js"
import { systemClock } from "./runtime/promise.js"
import type { SessionRequest } from "./session/session.js"

/**
 * Requires that the signed-in user has re-authenticated recently, for example before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`; without that page, the user signs in again.
 *
 * With `session.track` alone, every sign-in of the user counts, also with an account that was linked to a stolen session.
 * With `secondFactors`, users must re-authenticate before they link an account.
 * @param request Its URL must have the app's public address.
 * @returns The session; or a response to return. A page is redirected (303) to the page that asks. Other clients get 403
 *   with `{ url }` and the challenge of RFC 9470, and 401 when signed out.
 * @throws SessionTokenError when the store fails
 * @throws AuthError when the configuration is invalid or has neither
 * @example
 * const session = await requireFresh(request, config, { maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export async function requireFresh(
  request: Request,
  config: HostConfig,
  options: RequireFreshOptions = {},
): Promise<FreshSession | Response> {
  assertValid(options)
  getFunction(config, "requireFresh")
  const { context, visit } = await openService(request, config)
  try {
    return await decide({ request, url: new URL(request.url), options, context }, visit)
  } catch (error) {
    throw error instanceof AdapterError ? new SessionTokenError("The session could not be read", error) : error
  }
}

async function decide(asked: Asked, visit: SessionRequest): Promise<FreshSession | Response> {
  const { context } = asked
  const options = { ...asked.options, maxAgeSeconds: asked.options.maxAgeSeconds ?? context.config.freshFor }
  const userId = toIdText((await context.sessions.findUser(visit.cookies))?.id)
  if (userId === "") return toResponse(askToSignIn(asked))
  const proofs = await findProofs(userId, visit, context)
  const recent = findRecent(proofs, options, systemClock())
  const auth = areEnough(recent, options) ? summarize(recent) : null
  if (!auth) return toResponse(askAgain(asked, hasEarly(proofs, systemClock())))
  const { session, isUnknown } = await context.sessions.check(visit)
  if (isUnknown) throw new SessionTokenError("The session could not be read")
  return session ? { ...session, auth } : toResponse(askToSignIn(asked))
}

/** @throws InvalidConfiguration, since a mistake could let every request pass, or refuse every request */
function assertValid({ maxAgeSeconds, factors }: RequireFreshOptions): void {
  if (maxAgeSeconds !== undefined && !(Number.isInteger(maxAgeSeconds) && maxAgeSeconds > 0)) {
    throw new InvalidConfiguration("requireFresh: maxAgeSeconds must be a whole number of seconds above 0")
  }
  if (factors !== undefined && factors !== 1 && factors !== 2) {
    throw new InvalidConfiguration("requireFresh: factors must be 1 or 2")
  }
}

interface Asked {
  readonly request: Request
  readonly url: URL
  readonly options: RequireFreshOptions
  readonly context: ActionContext
}

function askAgain({ request, url, options, context }: Asked, isAskedAgain: boolean): Reply {
  const target = { callbackUrl: toCallbackUrl({ request, url, options }), requirement: options, isAskedAgain }
  const { headers, body } = toChallenge({ url, headers: request.headers }, context, target)
  if (opensPage(request)) return { status: 303, redirect: body.url }
  return json({ error: "FreshnessRequired", ...body }, { status: 403, headers: { ...noStore, ...headers } })
}

function askToSignIn({ request, url, options, context }: Asked): Reply {
  const page = context.pages.signIn ?? context.actionUrl({ url }, "signin")
  const target = withQuery(page, { callbackUrl: toCallbackUrl({ request, url, options }) })
  if (opensPage(request)) return { status: 303, redirect: target }
  return json({ error: "SignedOut", url: target }, { status: 401, headers: noStore })
}

/** Scripts of the app accept anything, and get JSON. */
const opensPage = ({ headers }: Request): boolean => findPreferred(headers.get("accept")) === "page"

function toCallbackUrl({ request, url, options }: Omit<Asked, "context">): string {
  if (options.callbackUrl !== undefined) return options.callbackUrl
  return isRead(request) ? url.href : (findFormPage(request.headers, url.origin) ?? url.origin)
}

const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD"
