import { UnknownAction } from "../errors/errors.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import type { PageFrame, Template } from "../pages/document.js"
import type { HiddenFieldsProps } from "../pages/form.js"
import type { SignInContent } from "../pages/sign-in.js"
import type { SignInChoice } from "../pages/sign-in-choice.js"
import type { ResolvedProvider } from "../types/resolved.js"
import { webAuthnScriptUrl } from "./assets.js"
import { type ActionNeeds, getProvider } from "./context.js"
import { type FailureNeeds, findErrorDetails } from "./error.js"
import { logoOf, markOf, type PageNeeds, toFrame, toPage } from "./page.js"

type BeginNeeds = Pick<ActionNeeds, "providers" | "methodOf" | "actionUrl">

/** `POST /signin/<id>`: starts a flow. Without a provider the visitor chooses one on the page. */
export async function beginSignIn(request: AuthRequest, needs: BeginNeeds): Promise<Reply> {
  if (request.providerId === undefined) return redirect(needs.actionUrl(request, "signin"))
  const provider = getProvider(request.providerId, needs)
  const method = await needs.methodOf(provider)
  return method.begin(request, provider)
}

type ShowNeeds = SignInPageNeeds & Pick<ActionNeeds, "pages" | "callbackUrls" | "csrf">

/**
 * `GET /signin`: the ways to sign in.
 * @throws UnknownAction with a provider in the path: a flow is started by a form alone, never by a link
 */
export async function showSignInPage(request: AuthRequest, needs: ShowNeeds): Promise<Reply> {
  if (request.providerId !== undefined) throw new UnknownAction("A sign-in is started by POST")
  const error = request.url.searchParams.get("error") ?? undefined
  const { url: callbackUrl, cookies } = await needs.callbackUrls.resolve(request)
  if (needs.pages.signIn) return redirect(withQuery(needs.pages.signIn, { callbackUrl, error }), { cookies })
  const csrf = await needs.csrf.issue(request.cookies)
  const page = await renderSignIn(request, { csrfToken: csrf.token, callbackUrl }, needs)
  return toPage(page, needs, { cookies: [...csrf.cookies, ...cookies] })
}

type SignInPageNeeds = PageNeeds & FailureNeeds & Pick<ActionNeeds, "providers" | "signInPrints">

/** The sign-in page with what every form on it sends along. */
async function renderSignIn(request: AuthRequest, hidden: HiddenFieldsProps, needs: SignInPageNeeds): Promise<string> {
  const occasion = findOccasion(request, needs)
  if (occasion === null) {
    const fillIn = await getPrint(request, hidden, needs)
    return fillIn({ csrfToken: hidden.csrfToken ?? "", callbackUrl: hidden.callbackUrl })
  }
  const { renderSignInPage } = await import("../pages/sign-in.js")
  return renderSignInPage(
    { ...hidden, ...occasion, providers: toChoices(request, needs) },
    await toFrame(request, needs),
  )
}

type Occasion = Omit<SignInContent, "providers" | keyof HiddenFieldsProps>

/** What this visitor's page says besides: an error, or the address that the email field begins with. */
function findOccasion(request: AuthRequest, needs: FailureNeeds): Occasion | null {
  const { searchParams, search } = request.url
  if (search === "") return null
  const error = searchParams.get("error") ?? undefined
  const email = searchParams.get("email") ?? undefined
  if (error === undefined && email === undefined) return null
  const failure = findErrorDetails(request, needs)
  return { ...failure, error, email, errorCode: searchParams.get("code") ?? failure.providerError }
}

type Print = Template<keyof HiddenFieldsProps>

async function getPrint(request: AuthRequest, hidden: HiddenFieldsProps, needs: SignInPageNeeds): Promise<Print> {
  const frame = await toFrame(request, needs)
  const key = `${frame.siteUrl} ${frame.language}`
  const known = needs.signInPrints.get(key)
  if (known) return known
  const print = await printSignIn(request, { frame, isGuarded: hidden.csrfToken !== undefined }, needs)
  needs.signInPrints.set(key, print)
  return print
}

interface PrintNeeds {
  readonly frame: PageFrame
  /** Whether the forms send a csrf token; one service's all do, or none. */
  readonly isGuarded: boolean
}

async function printSignIn(
  request: AuthRequest,
  { frame, isGuarded }: PrintNeeds,
  needs: Pick<ActionNeeds, "providers" | "actionUrl">,
): Promise<Print> {
  const { createTemplate } = await import("../pages/document.js")
  const { renderSignInPage } = await import("../pages/sign-in.js")
  const providers = toChoices(request, needs)
  return createTemplate(["csrfToken", "callbackUrl"], ({ csrfToken, callbackUrl }) =>
    renderSignInPage({ providers, callbackUrl, csrfToken: isGuarded ? csrfToken : undefined }, frame),
  )
}

type ChoiceNeeds = Pick<ActionNeeds, "providers" | "actionUrl">

function toChoices(request: AuthRequest, needs: ChoiceNeeds): readonly SignInChoice[] {
  return [...needs.providers.values()].map((provider) => toChoice(provider, request, needs))
}

function toChoice(provider: ResolvedProvider, request: AuthRequest, { actionUrl }: ChoiceNeeds): SignInChoice {
  const { id, name } = provider
  const signinUrl = actionUrl(request, `signin/${id}`)
  const callbackUrl = actionUrl(request, `callback/${id}`)
  switch (provider.type) {
    case "oauth":
    case "oidc":
      return { type: provider.type, id, name, signinUrl, logo: logoOf(provider), mark: markOf(provider) }
    case "email":
      return { type: "email", id, name, signinUrl }
    case "credentials":
      return { type: "credentials", id, name, callbackUrl, fields: provider.credentials ?? {} }
    case "webauthn":
      return {
        type: "webauthn",
        id,
        name,
        callbackUrl,
        fields: provider.formFields ?? {},
        scriptUrl: webAuthnScriptUrl(request, { actionUrl }),
        isDiscoverable: provider.registrationOptions?.authenticatorSelection?.residentKey === "required",
        hasAutofill: provider.enableConditionalUI === true,
        canSignUp: provider.enableSignUp !== false,
      }
  }
}

type VerifyRequestNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "providers">

/** `GET /verify-request`: asks to look into the mailbox. */
export async function showVerifyRequestPage(request: AuthRequest, needs: VerifyRequestNeeds): Promise<Reply> {
  const { searchParams } = request.url
  // Whatever else a link to this page carries is not passed on to the host's page.
  const query = { provider: searchParams.get("provider") ?? undefined, type: searchParams.get("type") ?? undefined }
  if (needs.pages.verifyRequest) return redirect(withQuery(needs.pages.verifyRequest, query))
  const { renderVerifyRequestPage } = await import("../pages/simple-pages.js")
  const provider = needs.providers.get(query.provider ?? "")
  const maxAgeSeconds = provider?.type === "email" ? provider.maxAge : undefined
  const content = {
    signInUrl: needs.actionUrl(request, "signin"),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  }
  return toPage(renderVerifyRequestPage(content, await toFrame(request, needs)), needs)
}
