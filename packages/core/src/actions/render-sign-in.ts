import type { ResolvedProvider } from "../config/resolved-provider.js"
import type { FillIn } from "../pages/blanks.js"
import type { HiddenFieldsProps } from "../pages/hidden-fields.js"
import type { PageFrame } from "../pages/page-frame.js"
import type { SignInChoice } from "../pages/sign-in-choice.js"
import type { SignInContent } from "../pages/sign-in-page.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { logoOf, markOf, type PageNeeds, toFrame } from "./page.js"
import { type FailureNeeds, findFailure } from "./shown-failure.js"
import { webAuthnScriptUrl } from "./webauthn-script.js"

export type SignInPageNeeds = PageNeeds & FailureNeeds & Pick<ActionNeeds, "providers" | "signInPrints">

/** The sign-in page with what every form on it sends along. */
export async function renderSignIn(visit: Visit, hidden: HiddenFieldsProps, needs: SignInPageNeeds): Promise<string> {
  const occasion = findOccasion(visit, needs)
  if (occasion === null) {
    const fillIn = await getPrint(visit, hidden, needs)
    return fillIn({ csrfToken: hidden.csrfToken ?? "", callbackUrl: hidden.callbackUrl })
  }
  const { renderSignInPage } = await import("../pages/sign-in-page.js")
  return renderSignInPage({ ...hidden, ...occasion, providers: toChoices(visit, needs) }, await toFrame(visit, needs))
}

type Occasion = Omit<SignInContent, "providers" | keyof HiddenFieldsProps>

/** What this visitor's page says besides: an error, or the address that the email field begins with. */
function findOccasion(visit: Visit, needs: FailureNeeds): Occasion | null {
  const { searchParams, search } = visit.url
  if (search === "") return null
  const error = searchParams.get("error") ?? undefined
  const email = searchParams.get("email") ?? undefined
  if (error === undefined && email === undefined) return null
  const failure = findFailure(visit, needs)
  return { ...failure, error, email, errorCode: searchParams.get("code") ?? failure.providerError }
}

type Print = FillIn<keyof HiddenFieldsProps>

async function getPrint(visit: Visit, hidden: HiddenFieldsProps, needs: SignInPageNeeds): Promise<Print> {
  const frame = await toFrame(visit, needs)
  const key = `${frame.siteUrl} ${frame.language}`
  const known = needs.signInPrints.get(key)
  if (known) return known
  const print = await printSignIn(visit, { frame, isGuarded: hidden.csrfToken !== undefined }, needs)
  needs.signInPrints.set(key, print)
  return print
}

interface PrintNeeds {
  readonly frame: PageFrame
  /** Whether the forms send a csrf token; one service's all do, or none. */
  readonly isGuarded: boolean
}

async function printSignIn(
  visit: Visit,
  { frame, isGuarded }: PrintNeeds,
  needs: Pick<ActionNeeds, "providers" | "actionUrl">,
): Promise<Print> {
  const { printWithBlanks } = await import("../pages/blanks.js")
  const { renderSignInPage } = await import("../pages/sign-in-page.js")
  const providers = toChoices(visit, needs)
  return printWithBlanks(["csrfToken", "callbackUrl"], ({ csrfToken, callbackUrl }) =>
    renderSignInPage({ providers, callbackUrl, csrfToken: isGuarded ? csrfToken : undefined }, frame),
  )
}

type ChoiceNeeds = Pick<ActionNeeds, "providers" | "actionUrl">

function toChoices(visit: Visit, needs: ChoiceNeeds): readonly SignInChoice[] {
  return [...needs.providers.values()].map((provider) => toChoice(provider, visit, needs))
}

function toChoice(provider: ResolvedProvider, visit: Visit, { actionUrl }: ChoiceNeeds): SignInChoice {
  const { id, name } = provider
  const signinUrl = actionUrl(visit, `signin/${id}`)
  const callbackUrl = actionUrl(visit, `callback/${id}`)
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
        scriptUrl: webAuthnScriptUrl(visit, { actionUrl }),
        isDiscoverable: provider.registrationOptions?.authenticatorSelection?.residentKey === "required",
        hasAutofill: provider.enableConditionalUI === true,
        canSignUp: provider.enableSignUp !== false,
      }
  }
}
