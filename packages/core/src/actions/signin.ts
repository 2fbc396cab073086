import { findDefect } from "../config/providers.js"
import { InvalidProvider, UnknownAction } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import type { Template } from "../pages/document.js"
import type { HiddenFieldsProps } from "../pages/form.js"
import type { FormModel } from "../pages/form-model.js"
import type { SignInContent } from "../pages/sign-in.js"
import type { ResponseCookie } from "../types/http.js"
import { findGate } from "./callback.js"
import { type ActionContext, getProvider, noStore, type PageContext } from "./context.js"
import { findErrorDetails } from "./error.js"
import { toFrame, toPage } from "./page.js"

/** `POST /signin/<id>`: starts a sign-in. Without a provider it redirects to the sign-in page. */
export async function beginSignIn(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { providerId } = request
  if (providerId === undefined || isUndefinedAsText(providerId, context)) {
    return redirect(context.actionUrl(request, "signin"))
  }
  const provider = getProvider(providerId, context)
  const defect = findDefect(provider)
  if (defect) throw defect
  const steps = await context.loadSteps(provider)
  return steps.begin(request, provider)
}

/** Published clients for Svelte and Solid send `undefined` as the id when they are called without a provider. */
function isUndefinedAsText(providerId: string, { providers }: PageContext): boolean {
  return providerId === "undefined" && !providers.has(providerId)
}

/**
 * `GET /signin`: the sign-in page, with a form for each provider.
 * @throws UnknownAction with a provider in the path: a link must not start a sign-in (login CSRF)
 */
export async function showSignInPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (request.providerId !== undefined) {
    if (!isUndefinedAsText(request.providerId, context)) throw new UnknownAction("Start a sign-in by POST")
    return redirect(`${context.actionUrl(request, "signin")}${request.url.search}`)
  }
  const error = request.url.searchParams.get("error") ?? undefined
  const { url: callbackUrl, cookies } = await context.callbackUrls.resolve(request)
  if (context.pages.signIn) return redirect(withQuery(context.pages.signIn, { callbackUrl, error }), { cookies })
  const csrf = await context.csrf.issue(request.cookies)
  const hidden = { csrfToken: csrf.token, callbackUrl }
  const extras = findExtras(request, context)
  const set = [...csrf.cookies, ...cookies]
  if (extras) return showWithExtras(request, { ...hidden, ...extras }, context, set)
  const template = await getTemplate(request, hidden, context)
  return toPage(template({ callbackUrl, csrfToken: csrf.token ?? "" }), context, { cookies: set })
}

/** Most sign-in pages come from a cached template. One with an error or a prefilled address is rendered. */
async function showWithExtras(
  request: AuthRequest,
  extras: Extras & HiddenFieldsProps,
  context: ActionContext,
  cookies: readonly ResponseCookie[],
): Promise<Reply> {
  const { renderSignInPage } = await import("../pages/sign-in.js")
  const { takeFormValues } = await import("./form-values.js")
  const before = await takeFormValues(request, context)
  const content = {
    ...extras,
    providers: toForms(request, context),
    ...(before.values && { errorProvider: before.values.providerId, typed: before.values.typed }),
  }
  const page = renderSignInPage(content, await toFrame(request, context))
  return toPage(page, context, { cookies: [...cookies, ...before.cookies] })
}

type Extras = Omit<SignInContent, "providers" | keyof HiddenFieldsProps>

/** An error to show, or the address to prefill. Null if there is neither. */
function findExtras(request: AuthRequest, context: ActionContext): Extras | null {
  const { searchParams, search } = request.url
  if (search === "") return null
  const error = searchParams.get("error") ?? undefined
  const email = searchParams.get("email") ?? undefined
  if (error === undefined && email === undefined) return null
  const failure = findErrorDetails(request, context)
  return { ...failure, error, email, errorCode: searchParams.get("code") ?? failure.providerError }
}

type SignInTemplate = Template<keyof HiddenFieldsProps>

async function getTemplate(
  request: AuthRequest,
  hidden: HiddenFieldsProps,
  context: ActionContext,
): Promise<SignInTemplate> {
  const frame = await toFrame(request, context)
  const key = `${frame.siteUrl} ${frame.language}`
  const cached = context.pageCache.get(key)
  if (cached) return cached
  const { createTemplate } = await import("../pages/document.js")
  const { renderSignInPage } = await import("../pages/sign-in.js")
  const providers = toForms(request, context)
  const hasToken = hidden.csrfToken !== undefined
  const template = createTemplate(["csrfToken", "callbackUrl"], ({ csrfToken, callbackUrl }) =>
    renderSignInPage({ providers, callbackUrl, csrfToken: hasToken ? csrfToken : undefined }, frame),
  )
  context.pageCache.set(key, template)
  return template
}

function toForms(request: AuthRequest, { providers, actionUrl }: PageContext): readonly FormModel[] {
  const toUrl = (path: string) => actionUrl(request, path)
  return [...providers.values()].map((provider) => {
    const urls = { signinUrl: toUrl(`signin/${provider.id}`), callbackUrl: toUrl(`callback/${provider.id}`), toUrl }
    return getMethod(provider).form(provider, urls)
  })
}

/**
 * `GET /webauthn-options/<id>`: the options for the browser's WebAuthn API. The id is optional with a single WebAuthn
 * provider.
 * @throws InvalidProvider when the provider has no such options
 */
export async function offerWebAuthnOptions(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const provider = getProvider(request.providerId ?? findOnlyId(context), context)
  const steps = await context.loadSteps(provider)
  if (!steps.offerOptions) throw new InvalidProvider(`A provider of type ${provider.type} has no WebAuthn options`)
  // Before the device makes a passkey that the callback would refuse.
  const gate = request.url.searchParams.get("action") === "register" ? findGate(context) : undefined
  const user = gate && (await context.sessions.findUser(request.cookies))
  const account = { provider: provider.id, type: provider.type }
  const refusal = user && (await gate.vetAccount(account, user, request, context))
  const reply = refusal ?? (await steps.offerOptions(request, provider))
  return { ...reply, headers: { ...reply.headers, ...noStore } }
}

function findOnlyId({ providers }: PageContext): string | undefined {
  const [only, ...others] = [...providers.values()].filter((provider) => getMethod(provider).script)
  return others.length === 0 ? only?.id : undefined
}
