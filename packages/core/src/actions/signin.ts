import { UnknownAction } from "../errors/request.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import { getProvider } from "./get-provider.js"
import type { ActionNeeds } from "./needs.js"
import { toPage } from "./page.js"
import { renderSignIn, type SignInPageNeeds } from "./render-sign-in.js"

type BeginNeeds = Pick<ActionNeeds, "providers" | "methodOf" | "actionUrl">

/** `POST /signin/<id>`: starts a flow. Without a provider the visitor chooses one on the page. */
export async function beginSignIn(visit: Visit, needs: BeginNeeds): Promise<Reply> {
  if (visit.providerId === undefined) return redirect(needs.actionUrl(visit, "signin"))
  const provider = getProvider(visit.providerId, needs)
  const method = await needs.methodOf(provider)
  return method.begin(visit, provider)
}

type ShowNeeds = SignInPageNeeds & Pick<ActionNeeds, "pages" | "callbackUrls" | "csrf">

/**
 * `GET /signin`: the ways to sign in.
 * @throws UnknownAction with a provider in the path: a flow is started by a form alone, never by a link
 */
export async function showSignInPage(visit: Visit, needs: ShowNeeds): Promise<Reply> {
  if (visit.providerId !== undefined) throw new UnknownAction("A sign-in is started by POST")
  const error = visit.url.searchParams.get("error") ?? undefined
  const { url: callbackUrl, cookies } = await needs.callbackUrls.resolve(visit)
  if (needs.pages.signIn) return redirect(withQuery(needs.pages.signIn, { callbackUrl, error }), { cookies })
  const csrf = await needs.csrf.issue(visit.cookies)
  const page = await renderSignIn(visit, { csrfToken: csrf.token, callbackUrl }, needs)
  return toPage(page, needs, { cookies: [...csrf.cookies, ...cookies] })
}
