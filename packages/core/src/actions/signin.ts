import { UnknownAction } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import type { PageFrame, Template } from "../pages/document.js"
import type { HiddenFieldsProps } from "../pages/form.js"
import type { FormModel } from "../pages/form-model.js"
import type { SignInContent } from "../pages/sign-in.js"
import { type ActionContext, getProvider, type PageContext } from "./context.js"
import { findErrorDetails } from "./error.js"
import { toFrame, toPage } from "./page.js"

/** `POST /signin/<id>`: starts a flow. Without a provider the visitor chooses one on the page. */
export async function beginSignIn(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (request.providerId === undefined) return redirect(context.actionUrl(request, "signin"))
  const provider = getProvider(request.providerId, context)
  const steps = await context.loadSteps(provider)
  return steps.begin(request, provider)
}

/**
 * `GET /signin`: the ways to sign in.
 * @throws UnknownAction with a provider in the path: a flow is started by a form alone, never by a link
 */
export async function showSignInPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (request.providerId !== undefined) throw new UnknownAction("A sign-in is started by POST")
  const error = request.url.searchParams.get("error") ?? undefined
  const { url: callbackUrl, cookies } = await context.callbackUrls.resolve(request)
  if (context.pages.signIn) return redirect(withQuery(context.pages.signIn, { callbackUrl, error }), { cookies })
  const csrf = await context.csrf.issue(request.cookies)
  const page = await renderSignIn(request, { csrfToken: csrf.token, callbackUrl }, context)
  return toPage(page, context, { cookies: [...csrf.cookies, ...cookies] })
}

/** The sign-in page with what every form on it sends along. */
async function renderSignIn(request: AuthRequest, hidden: HiddenFieldsProps, context: ActionContext): Promise<string> {
  const occasion = findOccasion(request, context)
  if (occasion === null) {
    const fillIn = await getPrint(request, hidden, context)
    return fillIn({ csrfToken: hidden.csrfToken ?? "", callbackUrl: hidden.callbackUrl })
  }
  const { renderSignInPage } = await import("../pages/sign-in.js")
  return renderSignInPage(
    { ...hidden, ...occasion, providers: toForms(request, context) },
    await toFrame(request, context),
  )
}

type Occasion = Omit<SignInContent, "providers" | keyof HiddenFieldsProps>

/** What this visitor's page says besides: an error, or the address that the email field begins with. */
function findOccasion(request: AuthRequest, context: ActionContext): Occasion | null {
  const { searchParams, search } = request.url
  if (search === "") return null
  const error = searchParams.get("error") ?? undefined
  const email = searchParams.get("email") ?? undefined
  if (error === undefined && email === undefined) return null
  const failure = findErrorDetails(request, context)
  return { ...failure, error, email, errorCode: searchParams.get("code") ?? failure.providerError }
}

type Print = Template<keyof HiddenFieldsProps>

async function getPrint(request: AuthRequest, hidden: HiddenFieldsProps, context: ActionContext): Promise<Print> {
  const frame = await toFrame(request, context)
  const key = `${frame.siteUrl} ${frame.language}`
  const known = context.pageCache.get(key)
  if (known) return known
  const print = await printSignIn(request, { frame, isGuarded: hidden.csrfToken !== undefined }, context)
  context.pageCache.set(key, print)
  return print
}

async function printSignIn(
  request: AuthRequest,
  { frame, isGuarded }: { readonly frame: PageFrame; readonly isGuarded: boolean },
  context: ActionContext,
): Promise<Print> {
  const { createTemplate } = await import("../pages/document.js")
  const { renderSignInPage } = await import("../pages/sign-in.js")
  const providers = toForms(request, context)
  return createTemplate(["csrfToken", "callbackUrl"], ({ csrfToken, callbackUrl }) =>
    renderSignInPage({ providers, callbackUrl, csrfToken: isGuarded ? csrfToken : undefined }, frame),
  )
}

function toForms(request: AuthRequest, { providers, actionUrl }: PageContext): readonly FormModel[] {
  const toUrl = (path: string) => actionUrl(request, path)
  return [...providers.values()].map((provider) => {
    const urls = { signinUrl: toUrl(`signin/${provider.id}`), callbackUrl: toUrl(`callback/${provider.id}`), toUrl }
    return getMethod(provider).form(provider, urls)
  })
}

/** `GET /verify-request`: asks to look into the mailbox. */
export async function showVerifyRequestPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { searchParams } = request.url
  // Whatever else a link to this page carries is not passed on to the host's page.
  const query = { provider: searchParams.get("provider") ?? undefined, type: searchParams.get("type") ?? undefined }
  if (context.pages.verifyRequest) return redirect(withQuery(context.pages.verifyRequest, query))
  const { renderVerifyRequestPage } = await import("../pages/simple-pages.js")
  const form = toForms(request, context).find(({ id }) => id === query.provider)
  const maxAgeSeconds = form?.kind === "email" ? form.maxAgeSeconds : undefined
  const content = {
    signInUrl: context.actionUrl(request, "signin"),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  }
  return toPage(renderVerifyRequestPage(content, await toFrame(request, context)), context)
}
