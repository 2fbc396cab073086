import { InvalidRequest, UnknownAction } from "../errors/errors.js"
import { type AuthRequest, isAuthAction, type RouteName } from "../http/request.js"
import type { ActionBudget } from "../rate-limit/limiter.js"
import { listProviders, showCsrfToken } from "./client.js"
import type { Route } from "./context.js"
import { readSession, updateSession } from "./session.js"

const completeCallback = deferred(async () => (await import("./callback.js")).completeCallback)
const showSignInPage = deferred(async () => (await import("./signin.js")).showSignInPage)
const beginSignIn = deferred(async () => (await import("./signin.js")).beginSignIn)
const showSignOutPage = deferred(async () => (await import("./session.js")).showSignOutPage)
const endSession = deferred(async () => (await import("./session.js")).endSession)
const showErrorPage = deferred(async () => (await import("./error.js")).showErrorPage)
const showVerifyRequestPage = deferred(async () => (await import("./signin.js")).showVerifyRequestPage)
const showStylesheet = deferred(async () => (await import("./assets.js")).showStylesheet)
const offerWebAuthnOptions = deferred(async () => (await import("./client.js")).offerWebAuthnOptions)
const showWebAuthnScript = deferred(async () => (await import("./assets.js")).showWebAuthnScript)

/**
 * Every action with its methods. The compiler refuses a forgotten one; guards stand where routes stand.
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
 * @throws InvalidRequest for a file of the built-in pages, which is no action: 405, RFC 9110 section 15.5.6
 */
export function getRoute({ route, method }: Pick<AuthRequest, "route" | "method">): Route {
  const found = routes[route][method]
  if (found) return found
  const fault = `${route} does not answer ${method}`
  throw isAuthAction(route) ? new UnknownAction(fault) : new InvalidRequest(fault, 405, { allow: "GET" })
}

/** Lets a form through only when it is one of ours. */
function guarded(route: Route): Route {
  return async (request, needs) => {
    await needs.csrf.assertVerified(request)
    return route(request, needs)
  }
}

/**
 * Lets a visitor through as long as their network has not asked too often. Inside of `guarded`: forged forms cost
 * nobody anything.
 */
function limited(budget: ActionBudget, route: Route): Route {
  return async (request, needs) => {
    await needs.limits.consume(budget, request)
    return route(request, needs)
  }
}

/**
 * A route whose code is loaded with its first request. What every visitor asks for, the session above all, is there at
 * once.
 */
export function deferred(load: () => Promise<Route>): Route {
  let loaded: Promise<Route> | undefined
  return async (request, needs) => {
    loaded ??= load()
    const route = await loaded
    return route(request, needs)
  }
}
