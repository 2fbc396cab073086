import { AuthError, toError } from "../errors/auth-error.js"
import { CredentialsSignin, FreshnessRequired, InvalidRequest, MissingCSRF, TooManyRequests } from "../errors/errors.js"
import { json, noStore, type Reply } from "../http/response.js"
import type { ActionBudget } from "../rate-limit/limiter.js"
import { lazy } from "../runtime/cache.js"
import type { Route } from "./feature.js"
import { toChallenge } from "./freshness.js"

/** Requires the CSRF token. */
export function guarded(route: Route): Route {
  return async (request, context) => {
    await context.csrf.assertVerified(request)
    return route(request, context)
  }
}

/** Counts the request against the network's budget. Use it inside `guarded`, so that forged forms count for nothing. */
export function limited(budget: ActionBudget, route: Route): Route {
  return async (request, context) => {
    await context.limits.consume(budget, request)
    return route(request, context)
  }
}

/**
 * A route whose code is imported with its first request. Session, csrf and providers are imported eagerly.
 */
export function deferred(load: () => Promise<Route>): Route {
  const loaded = lazy(load)
  return async (request, context) => (await loaded())(request, context)
}

export const signedOut: Reply = answer(401, { error: "SignedOut" })

export function answer(status: number, body: object): Reply {
  return json(body, { status, headers: noStore })
}

/** Answers errors with a status, since no page has sent the request: the caller reads the JSON. */
export function answeredAsJson(route: Route): Route {
  return async (request, context) => {
    try {
      return await route(request, context)
    } catch (thrown) {
      const error = thrown instanceof AuthError ? thrown : new AuthError(toError(thrown))
      context.log.errorOnce(error, request)
      const { type, reference } = error
      const wait = error instanceof TooManyRequests ? { "retry-after": String(error.retryAfterSeconds) } : {}
      const challenge = error instanceof FreshnessRequired ? toChallenge(request, context) : undefined
      const headers = { ...noStore, ...wait, ...challenge?.headers }
      return json({ error: type, reference, ...challenge?.body }, { status: toStatus(error), headers })
    }
  }
}

function toStatus(error: AuthError): number {
  if (error instanceof InvalidRequest) return error.status
  if (error.type === "SecondFactorWrong" || error instanceof CredentialsSignin) return 400
  if (error instanceof MissingCSRF || error instanceof FreshnessRequired) return 403
  return error instanceof TooManyRequests ? 429 : 500
}
