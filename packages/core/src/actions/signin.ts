import type { ResolvedProvider } from "../config/resolved-provider.js"
import { UnknownAction } from "../errors/request.js"
import type { SignInChoice } from "../pages/sign-in-choice.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import { getProvider } from "./get-provider.js"
import type { ActionNeeds } from "./needs.js"
import { logoOf, type PageNeeds, toFrame, toPage } from "./page.js"
import { type FailureNeeds, findFailure } from "./shown-failure.js"

type BeginNeeds = Pick<ActionNeeds, "providers" | "methodOf" | "actionUrl">

/** `POST /signin/<id>`: starts a flow. Without a provider the visitor chooses one on the page. */
export async function beginSignIn(visit: Visit, needs: BeginNeeds): Promise<Reply> {
  if (visit.providerId === undefined) return redirect(needs.actionUrl(visit, "signin"))
  const provider = getProvider(visit.providerId, needs)
  const method = await needs.methodOf(provider)
  return method.begin(visit, provider)
}

type SignInPageNeeds = PageNeeds & FailureNeeds & Pick<ActionNeeds, "pages" | "callbackUrls" | "csrf">

/**
 * `GET /signin`: the ways to sign in.
 * @throws UnknownAction with a provider in the path: a flow is started by a form alone, never by a link
 */
export async function showSignInPage(visit: Visit, needs: SignInPageNeeds): Promise<Reply> {
  if (visit.providerId !== undefined) throw new UnknownAction("A sign-in is started by POST")
  const { searchParams } = visit.url
  const error = searchParams.get("error") ?? undefined
  const { url: callbackUrl, cookies } = await needs.callbackUrls.resolve(visit)
  if (needs.pages.signIn) return redirect(withQuery(needs.pages.signIn, { callbackUrl, error }), { cookies })
  const csrf = await needs.csrf.issue(visit.cookies)
  const { renderSignInPage } = await import("../pages/sign-in-page.js")
  const failure = findFailure(visit, needs)
  const content = {
    providers: [...needs.providers.values()].map((provider) => toChoice(provider, visit, needs)),
    csrfToken: csrf.token,
    callbackUrl,
    error,
    ...failure,
    email: searchParams.get("email") ?? undefined,
    errorCode: searchParams.get("code") ?? failure.providerError,
  }
  return toPage(renderSignInPage(content, await toFrame(visit, needs)), needs, {
    cookies: [...csrf.cookies, ...cookies],
  })
}

function toChoice(
  provider: ResolvedProvider,
  visit: Visit,
  { actionUrl }: Pick<ActionNeeds, "actionUrl">,
): SignInChoice {
  const { id, name } = provider
  const signinUrl = actionUrl(visit, `signin/${id}`)
  const callbackUrl = actionUrl(visit, `callback/${id}`)
  switch (provider.type) {
    case "oauth":
    case "oidc":
      return { type: provider.type, id, name, signinUrl, logo: logoOf(provider) }
    case "email":
      return { type: "email", id, name, signinUrl }
    case "credentials":
      return { type: "credentials", id, name, callbackUrl, fields: provider.credentials ?? {} }
    case "webauthn":
      return { type: "webauthn", id, name, callbackUrl, fields: provider.formFields ?? {} }
  }
}
