/** @jsxImportSource #markup */

import {
  createTemplate,
  createTranslator,
  type DeveloperDetails,
  Divider,
  type PageFrame,
  ProviderMark,
  parseProviderLogo,
  renderDocument,
  type Template,
  type Translator,
} from "./document.js"
import {
  ErrorFooter,
  type ErrorMessage,
  errorHeading,
  findErrorMessage,
  Notice,
  reauthenticate,
} from "./error-message.js"
import { HiddenFields, type HiddenFieldsProps } from "./form.js"
import type { FormModel, PasskeyForm as PasskeyFormModel, RedirectForm as RedirectFormModel } from "./form-model.js"
import type { Children, JSX } from "./markup/jsx-runtime.js"
import { isSecondStep, offersSignUp, renderPersonForms } from "./person-forms.js"

/** The visitor's session. */
export interface CurrentAccount {
  /** The name or the address of the user. */
  readonly account: string
  readonly signOutUrl: string
  /** The title of the page that needs a new proof, if it is one of the service. */
  readonly asked?: string | undefined
}

export interface SignInContent {
  /** In the host's order, which the page keeps within each kind of form. */
  readonly providers: readonly FormModel[]
  readonly signInUrl: string
  readonly csrfToken: string | undefined
  /** Where the user goes after signing in; already checked. */
  readonly callbackUrl: string
  /** Initial value of the email field: untrusted text. */
  readonly email?: string | undefined
  /** Who signs in, if the first step told: untrusted text. */
  readonly person?: string | undefined
  /** Shows only providers whose name contains it: untrusted text. */
  readonly find?: string | undefined
  /** Id of the provider that was used last in this browser: untrusted text. */
  readonly lastUsed?: string | undefined
  /** Who is signed in already, and where they sign out: untrusted text. */
  readonly current?: CurrentAccount | undefined
  /** The `error` query parameter: untrusted text. */
  readonly error?: string | undefined
  /** The `code` query parameter, which adds detail to some errors: untrusted text. */
  readonly errorCode?: string | undefined
  /** Id of the provider that failed: untrusted text, looked up in `providers`. */
  readonly errorProvider?: string | undefined
  /** What the visitor typed into the form that failed, by field name: untrusted text. */
  readonly typed?: Readonly<Record<string, string>> | undefined
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
}

/** The sign-in page. It works without scripts. */
export function renderSignInPage(content: SignInContent, frame: PageFrame): string {
  const { providers, errorCode, errorProvider, current, callbackUrl } = content
  const error = current && content.error === "SessionRequired" ? reauthenticate : content.error
  const t = createTranslator(frame)
  const message = error ? findErrorMessage(error, errorCode) : undefined
  const heading = message && errorHeading(message, t, providers.find(({ id }) => id === errorProvider)?.name)
  const notice = message && <Notice message={message} heading={heading} reference={content.reference} t={t} />
  const failed = message && findFailedForm(message, content)
  const page = t.translate("signIn.title")
  const scriptUrl = providers.find(isPasskey)?.scriptUrl
  const sections = toSections(content, { failed, message, notice, frame, t })
  return renderDocument({
    // An error comes first because a screen reader reads the title first.
    title: message ? `${heading ?? t.translate("general.heading")} – ${page}` : page,
    frame,
    t,
    scriptUrl,
    children: (
      <>
        <h1 class="heading">{t.translate("signIn.heading")}</h1>
        {scriptUrl !== undefined && <div class="notice" role="alert" data-passkey-message hidden />}
        {current && <Current {...current} continueUrl={error ? undefined : callbackUrl} t={t} />}
        {error === reauthenticate && current?.asked !== undefined && (
          <p>
            <strong>{current.asked}</strong>
          </p>
        )}
        {!failed && notice}
        {sections.length === 0 && <p>{t.translate("signIn.none")}</p>}
        {sections.map((section, index) => [index > 0 && <Divider t={t} />, section])}
        <ErrorFooter reference={content.reference} details={content.details} t={t} />
      </>
    ),
  })
}

interface CurrentProps extends CurrentAccount {
  /** Undefined if something failed, or if the page there asks for a new sign-in: it would only lead back. */
  readonly continueUrl: string | undefined
  readonly t: Translator
}

/** Tells visitors who are signed in who they are. The forms below still sign in, for another account or a new proof. */
function Current({ account, signOutUrl, continueUrl, t }: CurrentProps): JSX.Element {
  return (
    <div class="notice notice-hint" role="status">
      <p>{t.translate("signIn.account", { account })}</p>
      <p class="notice-links">
        {continueUrl !== undefined && (
          <a class="link" href={continueUrl}>
            {t.translate("signIn.continue")}
          </a>
        )}
        <a class="link" href={signOutUrl}>
          {t.translate("signOut.button")}
        </a>
      </p>
    </div>
  )
}

/**
 * The page for many visitors, without the values that differ.
 * @param hidden The values of one visitor, to know whether there is a token. Most visitors come back to the site's origin: then
 * it is a part of the page.
 */
export function createSignInTemplate(
  content: Omit<SignInContent, keyof HiddenFieldsProps>,
  hidden: HiddenFieldsProps,
  frame: PageFrame,
): Template<keyof HiddenFieldsProps> {
  const hasToken = hidden.csrfToken !== undefined
  const render = ({ csrfToken, callbackUrl = hidden.callbackUrl }: Partial<HiddenFieldsProps>) =>
    renderSignInPage({ ...content, callbackUrl, csrfToken: hasToken ? csrfToken : undefined }, frame)
  return hidden.callbackUrl === frame.siteUrl
    ? createTemplate(["csrfToken"], render)
    : createTemplate(["csrfToken", "callbackUrl"], render)
}

/** The form that the error is about: of the provider that failed, or the first of its kind. */
function findFailedForm({ form }: ErrorMessage, { providers, errorProvider }: SignInContent): FormModel | undefined {
  const forms = providers.filter(({ kind }) => kind === form)
  return forms.find(({ id }) => id === errorProvider) ?? forms[0]
}

interface SectionContext {
  /** The form that shows the notice. Without one it stands above all forms. */
  readonly failed: FormModel | undefined
  readonly message: ErrorMessage | undefined
  readonly notice: Children
  readonly frame: PageFrame
  readonly t: Translator
}

/** First who signs in, then the ways without typing, then the providers, then what the host's own forms ask for. */
function toSections(content: SignInContent, context: SectionContext): readonly Children[] {
  const { frame, t, failed, message, notice } = context
  const { providers, person, email, typed } = content
  const props = { hidden: { csrfToken: content.csrfToken, callbackUrl: content.callbackUrl }, frame, t }
  const passkeys = providers.filter(isPasskey)
  const redirects = providers.filter((model) => model.kind === "redirect")
  const people = providers.filter((model) => model.kind === "email" || model.kind === "fields")
  const isStep2 = isSecondStep(people, { person, failed })
  const hasSignUp = people.some(offersSignUp(frame))
  const parts =
    people.length === 0
      ? undefined
      : renderPersonForms(people, {
          ...props,
          signInUrl: content.signInUrl,
          hasPasskeyAutofill: passkeys.some(({ hasAutofill }) => hasAutofill),
          person,
          email,
          failed,
          notice,
          isInvalid: failed !== undefined && message?.isInputRight !== true,
          typed,
        })
  const ways = passkeys.map((model, n) =>
    model.render(model, { ...props, providers, isMain: !parts && n === 0, isSignUpShown: !isStep2 || !hasSignUp }),
  )
  const first = parts || ways.length > 0 ? [[parts?.first, ways]] : []
  if (isStep2) return first
  const last = parts?.last ?? []
  if (redirects.length === 0) return [...first, ...last]
  return [...first, <ProviderButtons {...content} {...props} models={redirects} />, ...last]
}

function isPasskey(model: FormModel): model is PasskeyFormModel {
  return model.kind === "passkey"
}

interface ProviderButtonsProps extends Pick<SignInContent, "find" | "lastUsed" | "signInUrl"> {
  readonly models: readonly RedirectFormModel[]
  readonly hidden: HiddenFieldsProps
  readonly frame: PageFrame
  readonly t: Translator
}

/** With more providers than this, a field finds one by its name. */
const mostWithoutFilter = 8

/** A button for each provider; those at the end of a long list are collapsed. The one used last comes first. */
function ProviderButtons({
  models,
  find = "",
  lastUsed,
  signInUrl,
  hidden,
  frame,
  t,
}: ProviderButtonsProps): JSX.Element {
  const { visibleProviders = 6 } = frame.theme
  const toButton = (model: RedirectFormModel): JSX.Element => (
    <form action={model.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <button type="submit" class="button button-provider" data-provider={model.id}>
        <ProviderMark name={model.name} logo={parseProviderLogo(model.logo, frame.siteUrl)} mark={model.mark} />
        <span class="button-text">{t.translate("signIn.with", { provider: model.name })}</span>
        {model.id === lastUsed && <span class="last-used">{t.translate("signIn.lastUsed")}</span>}
      </button>
    </form>
  )
  const found = models.filter(({ name }) => name.toLowerCase().includes(find.trim().toLowerCase()))
  const sorted = found.toSorted((one, other) => Number(other.id === lastUsed) - Number(one.id === lastUsed))
  return (
    <div class="providers">
      {models.length > mostWithoutFilter && (
        <search>
          <form class="filter" action={signInUrl}>
            <input
              class="input"
              type="search"
              name="find"
              value={find}
              aria-label={t.translate("signIn.filter")}
              placeholder={t.translate("signIn.filter")}
            />
            <button type="submit" class="button">
              {t.translate("signIn.find")}
            </button>
          </form>
        </search>
      )}
      {found.length === 0 && <p role="status">{t.translate("signIn.noMatch")}</p>}
      {sorted.slice(0, visibleProviders).map(toButton)}
      {found.length > visibleProviders && (
        <details class="more" open={find !== ""}>
          <summary class="more-summary">{t.translate("signIn.more")}</summary>
          <div class="providers">{sorted.slice(visibleProviders).map(toButton)}</div>
        </details>
      )}
    </div>
  )
}
