import { UnknownAction } from "../errors/request.js"
import type { RouteName } from "../web/auth-path.js"
import type { Visit } from "../web/visit.js"
import { completeCallback } from "./callback.js"
import { showCsrfToken } from "./csrf.js"
import { showErrorPage } from "./error.js"
import { guarded } from "./guarded.js"
import type { Route } from "./needs.js"
import { listProviders } from "./providers.js"
import { readSession, updateSession } from "./session.js"
import { beginSignIn, showSignInPage } from "./signin.js"
import { endSession, showSignOutPage } from "./signout.js"
import { showStylesheet } from "./stylesheet.js"
import { showVerifyRequestPage } from "./verify-request.js"
import { offerWebAuthnOptions } from "./webauthn-options.js"

/**
 * Every action with its methods. The compiler refuses a forgotten one; guards stand where routes stand.
 * @internal Exported for its test.
 */
export const routes: Readonly<Record<RouteName, Partial<Record<Visit["method"], Route>>>> = {
  callback: { GET: completeCallback, POST: completeCallback },
  csrf: { GET: showCsrfToken },
  error: { GET: showErrorPage },
  providers: { GET: listProviders },
  session: { GET: readSession, POST: guarded(updateSession) },
  signin: { GET: showSignInPage, POST: guarded(beginSignIn) },
  signout: { GET: showSignOutPage, POST: guarded(endSession) },
  "style.css": { GET: showStylesheet },
  "verify-request": { GET: showVerifyRequestPage },
  "webauthn-options": { GET: offerWebAuthnOptions },
}

/** @throws UnknownAction when the action has no such method */
export function getRoute({ route, method }: Pick<Visit, "route" | "method">): Route {
  const found = routes[route][method]
  if (!found) throw new UnknownAction(`${route} does not answer ${method}`)
  return found
}
