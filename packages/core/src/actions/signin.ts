import { findDefect } from "../config/providers.js"
import { InvalidProvider, UnknownAction } from "../errors/errors.js"
import { type ActionContext, findGate, getProvider, type PageContext } from "../features/feature.js"
import { createFrame, type FrameParts, findFrameParts, toFrame, toPage, toPageCookie } from "../features/page.js"
import { ownCookies } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import { noStore, type Reply, redirect, withQuery } from "../http/response.js"
import { getMethod } from "../methods/find-method.js"
import type { Template } from "../pages/document.js"
import type { HiddenFieldsProps } from "../pages/form.js"
import type { FormModel } from "../pages/form-model.js"
import type { CurrentAccount, SignInContent } from "../pages/sign-in.js"
import { isPromiseLike } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"

/**
 * `POST /signin/<id>`: starts a sign-in. Without a provider it redirects to the sign-in page: to its second step if the
 * form says who signs in.
 */
export async function beginSignIn(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { providerId } = request
  if (providerId === undefined || isUndefinedAsText(providerId, context)) {
    const { keepPerson } = await import("../features/form-values.js")
    const kept = await keepPerson(request, context)
    const page = context.actionUrl(request, "signin")
    if (kept.length === 0) return redirect(page)
    const { cookies } = await context.callbackUrls.resolve(request)
    return redirect(`${page}?step=2`, { cookies: [...cookies, ...kept] })
  }
  const finding = getProvider(providerId, context)
  const provider = isPromiseLike(finding) ? await finding : finding
  const defect = findDefect(provider)
  if (defect) throw defect
  const loading = context.loadSteps(provider)
  const steps = isPromiseLike(loading) ? await loading : loading
  const reply = await steps.begin(request, provider)
  if (!context.theme.rememberProvider) return reply
  const cookie = toPageCookie("lastProvider", request, context, { maxAge: ownCookies.lastProvider.seconds })
  return { ...reply, cookies: [...(reply.cookies ?? []), { ...cookie, value: providerId }] }
}

/** The provider that was chosen last in this browser, if it is still configured. */
function findLastUsed(request: AuthRequest, context: ActionContext): string | undefined {
  const id = context.theme.rememberProvider
    ? request.cookies.get(toPageCookie("lastProvider", request, context, { maxAge: 0 }).name)
    : undefined
  return id !== undefined && context.providers.has(id) ? id : undefined
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
  const resolving = context.callbackUrls.resolve(request)
  const { url: callbackUrl, cookies } = isPromiseLike(resolving) ? await resolving : resolving
  if (context.pages.signIn) {
    const error = request.url.searchParams.get("error") ?? undefined
    return redirect(withQuery(context.pages.signIn, { callbackUrl, error }), { cookies })
  }
  const issuing = context.csrf.issue(request.cookies)
  const csrf = isPromiseLike(issuing) ? await issuing : issuing
  const hidden = { csrfToken: csrf.token, callbackUrl }
  const hasSession = request.cookies.namesStarting(context.cookies.sessionToken.name).length > 0
  const current = hasSession ? await findCurrent(request, callbackUrl, context) : undefined
  const found = request.url.search === "" ? null : await findExtras(request, context)
  const extras = current ? { ...found, current } : found
  const set = [...csrf.cookies, ...cookies]
  if (extras) return showWithExtras(request, { ...hidden, ...extras }, context, set)
  const framing = findFrameParts(request, context)
  const finding = getTemplate(request, isPromiseLike(framing) ? await framing : framing, hidden, context)
  const template = isPromiseLike(finding) ? await finding : finding
  return toPage(template({ callbackUrl, csrfToken: csrf.token ?? "" }), context, { cookies: set })
}

/** Who is signed in. Asked only if the browser has a session. Its cookie is not written: any site can lead here. */
async function findCurrent(
  request: AuthRequest,
  callbackUrl: string,
  context: ActionContext,
): Promise<CurrentAccount | undefined> {
  const { sessions, actionUrl } = context
  const { session } = await sessions.check(request)
  const account = session?.user?.email ?? session?.user?.name
  if (!account) return undefined
  const back = withQuery(actionUrl(request, "signin"), { callbackUrl })
  const featureFrame = context.features[0]?.frame
  const asked = await featureFrame?.findTitle(callbackUrl, request, context, await toFrame(request, context))
  return { account, asked, signOutUrl: withQuery(actionUrl(request, "signout"), { callbackUrl: back }) }
}

/** Most sign-in pages come from a cached template. One with an error or a prefilled address is rendered. */
async function showWithExtras(
  request: AuthRequest,
  extras: Extras & HiddenFieldsProps,
  context: ActionContext,
  cookies: readonly ResponseCookie[],
): Promise<Reply> {
  const { renderSignInPage } = await import("../pages/sign-in.js")
  const { readFormValues } = await import("../features/form-values.js")
  const before = request.url.search === "" ? nothingTyped : await readFormValues(request, context)
  const content = {
    ...extras,
    lastUsed: findLastUsed(request, context),
    person: before.values?.typed["email"],
    providers: await toForms(request, context),
    signInUrl: context.actionUrl(request, "signin"),
    ...(isOfForm(extras.error) &&
      before.values?.providerId && { errorProvider: before.values.providerId, typed: before.values.typed }),
  }
  const page = renderSignInPage(content, await toFrame(request, context))
  return toPage(page, context, { cookies: [...cookies, ...before.cookies] })
}

const nothingTyped = { values: null, cookies: [] } as const

/** Whether an error is about what was typed. Another one may follow while that is still kept. */
const isOfForm = (error: string | undefined) => error === "CredentialsSignin" || error === "EmailSignin"

type Extras = Omit<SignInContent, "providers" | "signInUrl" | keyof HiddenFieldsProps>

/** What the query adds to the page: an error, an address to prefill, a filter, the second step. Null if nothing. */
async function findExtras(request: AuthRequest, context: ActionContext): Promise<Extras | null> {
  const { searchParams } = request.url
  const error = searchParams.get("error") ?? undefined
  const email = searchParams.get("email") ?? undefined
  const find = searchParams.get("find") ?? undefined
  if (error === undefined && email === undefined && find === undefined && !searchParams.has("step")) return null
  const { findErrorDetails } = await import("./error.js")
  const failure = await findErrorDetails(request, context)
  return { ...failure, error, email, find, errorCode: searchParams.get("code") ?? failure.providerError }
}

type SignInTemplate = Template<keyof HiddenFieldsProps>

function getTemplate(
  request: AuthRequest,
  frameParts: FrameParts,
  hidden: HiddenFieldsProps,
  context: ActionContext,
): Awaitable<SignInTemplate> {
  const { origin } = request.url
  const [, difference, locale] = frameParts
  const lastUsed = findLastUsed(request, context)
  const isHome = hidden.callbackUrl === origin
  const key = `${origin} ${isHome} ${difference === "scheme"} ${locale?.language} ${lastUsed}`
  return context.pageCache.get(key) ?? createTemplate()

  async function createTemplate(): Promise<SignInTemplate> {
    const { createSignInTemplate } = await import("../pages/sign-in.js")
    const providers = await toForms(request, context)
    const signInUrl = context.actionUrl(request, "signin")
    const frame = createFrame(request, context, frameParts)
    const template = createSignInTemplate({ providers, signInUrl, lastUsed }, hidden, frame)
    context.pageCache.set(key, template)
    return template
  }
}

async function toForms(request: AuthRequest, { providers, actionUrl }: PageContext): Promise<readonly FormModel[]> {
  const toUrl = (path: string) => actionUrl(request, path)
  const forms = [...providers.values()].map((provider) => {
    const urls = { signinUrl: toUrl(`signin/${provider.id}`), callbackUrl: toUrl(`callback/${provider.id}`), toUrl }
    return getMethod(provider).form(provider, urls)
  })
  return Promise.all(forms)
}

/**
 * `GET /webauthn-options/<id>`: the options for the browser's WebAuthn API. The id is optional with a single WebAuthn
 * provider.
 * @throws InvalidProvider when the provider has no such options
 */
export async function offerWebAuthnOptions(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const provider = await getProvider(request.providerId ?? findOnlyId(context), context)
  const steps = await context.loadSteps(provider)
  if (!steps.offerOptions) throw new InvalidProvider("The provider has no passkeys")
  // Before the device makes a passkey that the callback would refuse.
  const isRegistration = request.url.searchParams.get("action") === "register"
  const gate = isRegistration ? findGate(context) : undefined
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
