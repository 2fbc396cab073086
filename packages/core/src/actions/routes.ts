import type { PublicProvider } from "@latchkey/types"
import { InvalidRequest, UnknownAction } from "../errors/errors.js"
import type { ActionContext, Feature, FeatureRoutes, PageContext, Route, RouteMethods } from "../features/feature.js"
import { deferred, guarded, limited } from "../features/route.js"
import { type AuthRequest, isAuthAction, isRouteName, type RouteName } from "../http/request.js"
import { json, noStore, type Reply } from "../http/response.js"
import { showSession, toSessionReply } from "../session/session.js"

const completeCallback = deferred(async () => (await import("./callback.js")).completeCallback)
const showSignInPage = deferred(async () => (await import("./signin.js")).showSignInPage)
const beginSignIn = deferred(async () => (await import("./signin.js")).beginSignIn)
const showSignOutPage = deferred(async () => (await import("../features/sign-out.js")).showSignOutPage)
const endSession = deferred(async () => (await import("../features/sign-out.js")).endSession)
const showErrorPage = deferred(async () => (await import("./error.js")).showErrorPage)
const showVerifyRequestPage = deferred(async () => (await import("./verify-request.js")).showVerifyRequestPage)
const offerWebAuthnOptions = deferred(async () => (await import("./signin.js")).offerWebAuthnOptions)
const showStylesheet = deferred(async () => (await import("./assets.js")).showStylesheet)
const showPasswordScript = deferred(async () => (await import("./assets.js")).showPasswordScript)
const showWaitScript = deferred(async () => (await import("./assets.js")).showWaitScript)
const showWebAuthnScript = deferred(async () => (await import("./assets.js")).showWebAuthnScript)

/**
 * Every action by HTTP method. The compiler refuses a forgotten action.
 * @internal Exported for its test.
 */
export const routes: Readonly<Record<RouteName, RouteMethods>> = {
  callback: { GET: completeCallback, POST: completeCallback },
  csrf: { GET: showCsrfToken },
  error: { GET: showErrorPage },
  providers: { GET: listProviders },
  session: { GET: showSession, POST: guarded(limited("sessionUpdate", updateSession)) },
  signin: { GET: showSignInPage, POST: guarded(limited("signIn", beginSignIn)) },
  signout: { GET: showSignOutPage, POST: guarded(limited("signOut", endSession)) },
  "style.css": { GET: showStylesheet },
  "verify-request": { GET: showVerifyRequestPage },
  "webauthn-options": { GET: limited("webAuthnOptions", offerWebAuthnOptions) },
  "webauthn.js": { GET: showWebAuthnScript },
  "password.js": { GET: showPasswordScript },
  "wait.js": { GET: showWaitScript },
}

/**
 * @throws UnknownAction when the action has no such method
 * @throws InvalidRequest with 405 for a file of the built-in pages
 */
export function getRoute(
  { route, method }: Pick<AuthRequest, "route" | "method">,
  service?: { readonly features: readonly Feature[]; readonly featureRoutes: FeatureRoutes } | undefined,
): Route {
  const own = service?.featureRoutes[route]
  if (own && service.features[0]) return service.features[0].frame.getRoute(own, method)
  const methods: RouteMethods = isRouteName(route) ? routes[route] : {}
  const found = methods[method]
  if (found) return found
  const fault = `${route} does not answer ${method}`
  if (isAuthAction(route)) throw new UnknownAction(fault)
  throw new InvalidRequest(fault, 405, { allow: Object.keys(methods).join(", ") })
}

/** `POST /session`: passes the client's data to the host's callbacks and answers with the updated session. */
async function updateSession(request: AuthRequest, { sessions }: ActionContext): Promise<Reply> {
  return toSessionReply(await sessions.check(request, { newSession: request.body?.["data"] }))
}

/** `GET /csrf`: the token that every form must send. 404 if the CSRF check is turned off. */
async function showCsrfToken(request: AuthRequest, { csrf, log }: ActionContext): Promise<Reply> {
  const { token: csrfToken, cookies } = await csrf.issue(request.cookies)
  if (csrfToken !== undefined) return json({ csrfToken }, { cookies, headers: noStore })
  log.warnOnce("csrf-disabled")
  return { status: 404, cookies: await csrf.clearLeftover(), headers: noStore }
}

/** `GET /providers`: the public fields of each provider by id, in the configured order. */
function listProviders(request: AuthRequest, { providers, actionUrl }: PageContext): Reply {
  const list: Record<string, PublicProvider> = {}
  for (const { id, name, type } of providers.values()) {
    const signinUrl = actionUrl(request, `signin/${id}`)
    const callbackUrl = actionUrl(request, `callback/${id}`)
    list[id] = { id, name, type, signinUrl, callbackUrl }
  }
  return json(list, { headers: noStore })
}
