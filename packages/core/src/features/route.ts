import { json, noStore, type Reply } from "../http/response.js"
import type { ActionBudget } from "../rate-limit/limiter.js"
import { lazy } from "../runtime/cache.js"
import { andThen } from "../runtime/promise.js"
import type { Route } from "./feature.js"

/** Requires the CSRF token. */
export function guarded(route: Route): Route {
  return (request, context) => andThen(context.csrf.assertVerified(request), () => route(request, context))
}

/** Counts the request against the network's budget. Use it inside `guarded`, so that forged forms count for nothing. */
export function limited(budget: ActionBudget, route: Route): Route {
  return (request, context) => andThen(context.limits.consume(budget, request), () => route(request, context))
}

/**
 * A route whose code is imported with its first request. Session, csrf and providers are imported eagerly.
 */
export function deferred(load: () => Promise<Route>): Route {
  const loaded = lazy(load)
  return (request, context) => andThen(loaded(), (route) => route(request, context))
}

export const signedOut: Reply = answer(401, { error: "SignedOut" })

export function answer(status: number, body: object): Reply {
  return json(body, { status, headers: noStore })
}
