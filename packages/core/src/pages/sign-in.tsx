/** @jsxImportSource #markup */
import { Fragment, type JSX } from "../markup/jsx-runtime.js"
import { type DeveloperDetails, type PageFrame, parseProviderLogo, renderDocument } from "./document.js"
import { ErrorFooter, type ErrorMessage, errorHeading, findErrorMessage, Notice } from "./error-message.js"
import { Field, fieldAttributes, HiddenFields, type HiddenFieldsProps, HostFields } from "./form.js"
import type {
  EmailForm as EmailFormModel,
  FieldsForm as FieldsFormModel,
  FormModel,
  PasskeyForm as PasskeyFormModel,
  RedirectForm as RedirectFormModel,
} from "./form-model.js"
import { createTranslator, type Translator } from "./messages.js"
import { PasskeyForm } from "./passkey-form.js"

export interface SignInContent {
  /** In the host's order, which the page keeps within each kind of form. */
  readonly providers: readonly FormModel[]
  readonly csrfToken: string | undefined
  /** Where the user goes after signing in; already checked. */
  readonly callbackUrl: string
  /** Initial value of the email field: untrusted text. */
  readonly email?: string | undefined
  /** The `error` query parameter: untrusted text. */
  readonly error?: string | undefined
  /** The `code` query parameter, which adds detail to some errors: untrusted text. */
  readonly errorCode?: string | undefined
  /** Id of the provider that failed: untrusted text, looked up in `providers`. */
  readonly errorProvider?: string | undefined
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
}

/** The sign-in page: passkeys and providers first, then email, then the host's own forms. It works without scripts. */
export function renderSignInPage(content: SignInContent, frame: PageFrame): string {
  const { providers, error, errorCode, errorProvider } = content
  const t = createTranslator(frame)
  const message = error ? findErrorMessage(error, errorCode) : undefined
  const heading = message && errorHeading(message, t, providers.find(({ id }) => id === errorProvider)?.name)
  const page = t.translate("signIn.title")
  const scriptUrl = providers.find(isPasskey)?.scriptUrl
  return renderDocument({
    // An error comes first because a screen reader reads the title first.
    title: message ? t.translate("title.afterError", { error: heading ?? t.translate("general.heading"), page }) : page,
    frame,
    t,
    scriptUrl,
    children: (
      <>
        <h1 class="heading">{t.translate("signIn.heading")}</h1>
        {scriptUrl !== undefined && <div class="notice" role="alert" data-passkey-message hidden />}
        {message && <Notice message={message} heading={heading} t={t} />}
        <Sections sections={toSections(content, { message, siteUrl: frame.siteUrl, t })} t={t} />
        <ErrorFooter reference={content.reference} details={content.details} t={t} />
      </>
    ),
  })
}

interface SectionContext {
  readonly message: ErrorMessage | undefined
  readonly siteUrl: string
  readonly t: Translator
}

/** The forms of the page in their order; the provider buttons together are one section. */
function toSections(content: SignInContent, { message, siteUrl, t }: SectionContext): readonly JSX.Element[] {
  const { providers, email } = content
  const hidden = { csrfToken: content.csrfToken, callbackUrl: content.callbackUrl }
  const isOnlyWay = providers.length === 1
  const passkeys = providers.filter(isPasskey)
  const redirects = providers.filter((model) => model.kind === "redirect")
  const emails = providers.filter((model) => model.kind === "email")
  const forms = providers.filter((model) => model.kind === "fields")
  const shared = { hidden, t, hasPasskeyAutofill: passkeys.some(({ hasAutofill }) => hasAutofill) }
  return [
    ...passkeys.map((model) => <PasskeyForm model={model} hidden={hidden} t={t} isOnlyWay={isOnlyWay} />),
    ...(redirects.length > 0 ? [<ProviderButtons models={redirects} hidden={hidden} siteUrl={siteUrl} t={t} />] : []),
    ...emails.map((model) => (
      <EmailForm {...shared} model={model} email={email} isInvalid={message?.form === "email"} />
    )),
    ...forms.map((model) => <FieldsForm {...shared} model={model} isInvalid={message?.form === "credentials"} />),
  ]
}

function isPasskey(model: FormModel): model is PasskeyFormModel {
  return model.kind === "passkey"
}

interface SectionsProps {
  readonly sections: readonly JSX.Element[]
  readonly t: Translator
}

/** The sections with a divider between each two. */
function Sections({ sections, t }: SectionsProps): JSX.Element {
  if (sections.length === 0) return <p>{t.translate("signIn.none")}</p>
  return (
    <>
      {sections.map((section, index) => (
        <Fragment>
          {index > 0 && (
            <p class="divider">
              <span>{t.translate("signIn.or")}</span>
            </p>
          )}
          {section}
        </Fragment>
      ))}
    </>
  )
}

interface ProviderButtonsProps {
  readonly models: readonly RedirectFormModel[]
  readonly hidden: HiddenFieldsProps
  readonly siteUrl: string
  readonly t: Translator
}

/** How many provider buttons are always visible. */
const visibleButtons = 6

/** A button for each provider; those at the end of a long list are collapsed. */
function ProviderButtons({ models, hidden, siteUrl, t }: ProviderButtonsProps): JSX.Element {
  const toButton = (model: RedirectFormModel): JSX.Element => (
    <form action={model.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <button type="submit" class="button button-provider" data-provider={model.id}>
        <ProviderMark name={model.name} logo={parseProviderLogo(model.logo, siteUrl)} mark={model.mark} />
        <span class="button-text">{t.translate("signIn.with", { provider: model.name })}</span>
      </button>
    </form>
  )
  return (
    <div class="providers">
      {models.slice(0, visibleButtons).map(toButton)}
      {models.length > visibleButtons && (
        <details class="more">
          <summary class="more-summary">{t.translate("signIn.more")}</summary>
          <div class="providers">{models.slice(visibleButtons).map(toButton)}</div>
        </details>
      )}
    </div>
  )
}

interface ProviderMarkProps {
  readonly name: string
  readonly logo: string | undefined
  readonly mark: string | undefined
}

/** The logo, the mark or the first letter. The name is next to it, so screen readers skip it. */
function ProviderMark({ name, logo, mark }: ProviderMarkProps): JSX.Element {
  if (logo !== undefined) return <img class="mark" src={logo} alt="" width={24} height={24} />
  if (mark === undefined) {
    const [letter = ""] = name.trim()
    return <span class="mark mark-letter" data-letter={letter.toUpperCase()} aria-hidden="true" />
  }
  return (
    // The stylesheet sets the color: the content security policy allows no inline styles.
    <svg class="mark mark-drawn" viewBox="0 0 24 24" aria-hidden="true">
      <path fill="currentColor" d={mark} />
    </svg>
  )
}

interface FormProps<Model extends FormModel> {
  readonly model: Model
  readonly hidden: HiddenFieldsProps
  readonly t: Translator
  /** Whether the browser may suggest passkeys in fields for a user name or an email address. */
  readonly hasPasskeyAutofill: boolean
  /** Whether the error message is about this form. */
  readonly isInvalid: boolean
}

interface EmailFormProps extends FormProps<EmailFormModel> {
  readonly email: string | undefined
}

function EmailForm({ model, hidden, t, hasPasskeyAutofill, isInvalid, email }: EmailFormProps): JSX.Element {
  const attributes = {
    type: "email",
    required: true,
    autocomplete: hasPasskeyAutofill ? "username webauthn" : "email",
    inputmode: "email",
    autocapitalize: "none",
    spellcheck: "false",
    ...(email === undefined ? {} : { value: email }),
    ...(isInvalid ? { autofocus: true } : {}),
  }
  return (
    <form class="form" action={model.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <Field
        formId={model.id}
        name="email"
        label={t.translate("signIn.email")}
        attributes={attributes}
        isInvalid={isInvalid}
      />
      <SubmitButton name={model.name} t={t} />
    </form>
  )
}

function FieldsForm({ model, hidden, t, hasPasskeyAutofill, isInvalid }: FormProps<FieldsFormModel>): JSX.Element {
  const fields = hasPasskeyAutofill ? withPasskeyAutofill(model.fields) : model.fields
  return (
    <form class="form" action={model.callbackUrl} method="post">
      <HiddenFields {...hidden} />
      <HostFields formId={model.id} fields={fields} isInvalid={isInvalid} />
      <SubmitButton name={model.name} t={t} />
    </form>
  )
}

/** HTML section 4.10.18.7: `webauthn` is the last token of `autocomplete`. */
function withPasskeyAutofill(fields: FieldsFormModel["fields"]): FieldsFormModel["fields"] {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { autocomplete } = fieldAttributes(name, field)
    const isUserName = autocomplete === "username" || autocomplete === "email"
    return [name, isUserName ? { ...field, autocomplete: `${autocomplete} webauthn` } : field] as const
  })
  return Object.fromEntries(entries)
}

function SubmitButton({ name, t }: { readonly name: string; readonly t: Translator }): JSX.Element {
  return (
    <button type="submit" class="button button-primary">
      <span class="button-text">{t.translate("signIn.with", { provider: name })}</span>
    </button>
  )
}
