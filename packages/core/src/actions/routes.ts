import { InvalidRequest } from "../errors/invalid-request.js"
import { UnknownAction } from "../errors/request.js"
import { isAuthAction, type RouteName } from "../web/auth-path.js"
import type { Visit } from "../web/visit.js"
import { showCsrfToken } from "./csrf.js"
import { deferred } from "./deferred.js"
import { guarded } from "./guarded.js"
import { limited } from "./limited.js"
import type { Route } from "./needs.js"
import { listProviders } from "./providers.js"
import { readSession, updateSession } from "./session.js"

const completeCallback = deferred(async () => (await import("./callback.js")).completeCallback)
const showSignInPage = deferred(async () => (await import("./signin.js")).showSignInPage)
const beginSignIn = deferred(async () => (await import("./signin.js")).beginSignIn)
const showSignOutPage = deferred(async () => (await import("./signout.js")).showSignOutPage)
const endSession = deferred(async () => (await import("./signout.js")).endSession)
const showErrorPage = deferred(async () => (await import("./error.js")).showErrorPage)
const showVerifyRequestPage = deferred(async () => (await import("./verify-request.js")).showVerifyRequestPage)
const showStylesheet = deferred(async () => (await import("./stylesheet.js")).showStylesheet)
const offerWebAuthnOptions = deferred(async () => (await import("./webauthn-options.js")).offerWebAuthnOptions)
const showWebAuthnScript = deferred(async () => (await import("./webauthn-script.js")).showWebAuthnScript)

/**
 * Every action with its methods. The compiler refuses a forgotten one; guards stand where routes stand.
 * @internal Exported for its test.
 */
export const routes: Readonly<Record<RouteName, Partial<Record<Visit["method"], Route>>>> = {
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
export function getRoute({ route, method }: Pick<Visit, "route" | "method">): Route {
  const found = routes[route][method]
  if (found) return found
  const fault = `${route} does not answer ${method}`
  throw isAuthAction(route) ? new UnknownAction(fault) : new InvalidRequest(fault, 405, { allow: "GET" })
}
