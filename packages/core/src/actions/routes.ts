import { InvalidRequest, UnknownAction } from "../errors/errors.js"
import { type AuthRequest, isAuthAction, type RouteName } from "../http/request.js"
import type { ActionBudget } from "../rate-limit/limiter.js"
import { lazy } from "../runtime/cache.js"
import { listProviders, offerWebAuthnOptions, showCsrfToken } from "./client.js"
import type { Route } from "./context.js"
import { readSession, updateSession } from "./session.js"

const completeCallback = deferred(async () => (await import("./callback.js")).completeCallback)
const showSignInPage = deferred(async () => (await import("./signin.js")).showSignInPage)
const beginSignIn = deferred(async () => (await import("./signin.js")).beginSignIn)
const showSignOutPage = deferred(async () => (await import("./signout.js")).showSignOutPage)
const endSession = deferred(async () => (await import("./signout.js")).endSession)
const showErrorPage = deferred(async () => (await import("./error.js")).showErrorPage)
const showVerifyRequestPage = deferred(async () => (await import("./signin.js")).showVerifyRequestPage)
const showStylesheet = deferred(async () => (await import("./assets.js")).showStylesheet)
const showWebAuthnScript = deferred(async () => (await import("./assets.js")).showWebAuthnScript)

/**
 * Every action by HTTP method. The compiler refuses a forgotten action.
 * @internal Exported for its test.
 */
export const routes: Readonly<Record<RouteName, Partial<Record<AuthRequest["method"], Route>>>> = {
  callback: { GET: completeCallback, POST: completeCallback },
  csrf: { GET: showCsrfToken },
  error: { GET: showErrorPage },
  providers: { GET: listProviders },
  session: { GET: readSession, POST: guarded(limited("sessionUpdate", updateSession)) },
  signin: { GET: showSignInPage, POST: guarded(limited("signIn", beginSignIn)) },
  signout: { GET: showSignOutPage, POST: guarded(limited("signOut", endSession)) },
  "style.css": { GET: showStylesheet },
  "verify-request": { GET: showVerifyRequestPage },
  "webauthn-options": { GET: limited("webAuthnOptions", offerWebAuthnOptions) },
  "webauthn.js": { GET: showWebAuthnScript },
}

/**
 * @throws UnknownAction when the action has no such method
 * @throws InvalidRequest with 405 for a file of the built-in pages, RFC 9110 section 15.5.6
 */
export function getRoute({ route, method }: Pick<AuthRequest, "route" | "method">): Route {
  const found = routes[route][method]
  if (found) return found
  const fault = `${route} does not answer ${method}`
  throw isAuthAction(route) ? new UnknownAction(fault) : new InvalidRequest(fault, 405, { allow: "GET" })
}

/** Requires the CSRF token. */
function guarded(route: Route): Route {
  return async (request, context) => {
    await context.csrf.assertVerified(request)
    return route(request, context)
  }
}

/** Counts the request against the network's budget. Use it inside `guarded`, so that forged forms count for nothing. */
function limited(budget: ActionBudget, route: Route): Route {
  return async (request, context) => {
    await context.limits.consume(budget, request)
    return route(request, context)
  }
}

/**
 * A route whose code is imported with its first request. Session, csrf and providers are imported eagerly.
 * @internal Exported for its tests.
 */
export function deferred(load: () => Promise<Route>): Route {
  const loaded = lazy(load)
  return async (request, context) => (await loaded())(request, context)
}
