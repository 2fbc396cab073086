/** @jsxImportSource #markup */
import { type Children, Fragment, type JSX } from "../markup/jsx-runtime.js"
import { type DeveloperDetails, type PageFrame, parseProviderLogo, renderDocument } from "./document.js"
import { ErrorFooter, type ErrorMessage, errorHeading, findErrorMessage, Notice } from "./error-message.js"
import { Field, fieldAttributes, HiddenFields, type HiddenFieldsProps, HostFields, PasskeyForm } from "./form.js"
import type {
  EmailForm as EmailFormModel,
  FieldsForm as FieldsFormModel,
  FormModel,
  PasskeyForm as PasskeyFormModel,
  RedirectForm as RedirectFormModel,
} from "./form-model.js"
import { createTranslator, type Translator } from "./messages.js"

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
  /** What the visitor typed into the form that failed, by field name: untrusted text. */
  readonly typed?: Readonly<Record<string, string>> | undefined
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
}

/** The sign-in page: passkeys and providers first, then email, then the host's own forms. It works without scripts. */
export function renderSignInPage(content: SignInContent, frame: PageFrame): string {
  const { providers, error, errorCode, errorProvider } = content
  const t = createTranslator(frame)
  const message = error ? findErrorMessage(error, errorCode) : undefined
  const heading = message && errorHeading(message, t, providers.find(({ id }) => id === errorProvider)?.name)
  const notice = message && <Notice message={message} heading={heading} t={t} />
  const failed = message && findFailedForm(message, content)
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
        {!failed && notice}
        <Sections sections={toSections(content, { failed, message, notice, frame, t })} t={t} />
        <ErrorFooter reference={content.reference} details={content.details} t={t} />
      </>
    ),
  })
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

/** The forms of the page in their order; the provider buttons together are one section. */
function toSections(content: SignInContent, context: SectionContext): readonly JSX.Element[] {
  const { frame, t } = context
  const { providers } = content
  const hidden = { csrfToken: content.csrfToken, callbackUrl: content.callbackUrl }
  const isOnlyWay = providers.length === 1
  const passkeys = providers.filter(isPasskey)
  const redirects = providers.filter((model) => model.kind === "redirect")
  const emails = providers.filter((model) => model.kind === "email")
  const forms = providers.filter((model) => model.kind === "fields")
  const hasPasskeyAutofill = passkeys.some(({ hasAutofill }) => hasAutofill)
  // One button stands out: that of the form to try again, else that of the first form.
  const main = context.failed ?? passkeys[0] ?? emails[0] ?? forms[0]
  const toProps = <Model extends FormModel>(model: Model): FormProps<Model> => ({
    model,
    hidden,
    t,
    hasPasskeyAutofill,
    isMain: model === main,
    ...(model === context.failed && {
      notice: context.notice,
      isInvalid: context.message?.isInputRight !== true,
      typed: content.typed,
    }),
  })
  return [
    ...passkeys.map((model) => (
      <PasskeyForm model={model} hidden={hidden} t={t} isOnlyWay={isOnlyWay} isMain={model === main} />
    )),
    ...(redirects.length > 0 ? [<ProviderButtons models={redirects} hidden={hidden} frame={frame} t={t} />] : []),
    ...emails.map((model) => <EmailForm {...toProps(model)} email={content.email} isOnlyEmail={emails.length === 1} />),
    ...forms.map((model) => <FieldsForm {...toProps(model)} isOnlyForm={forms.length === 1} />),
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
  readonly frame: PageFrame
  readonly t: Translator
}

/** A button for each provider; those at the end of a long list are collapsed. */
function ProviderButtons({ models, hidden, frame, t }: ProviderButtonsProps): JSX.Element {
  const { visibleProviders = 6 } = frame.theme
  const toButton = (model: RedirectFormModel): JSX.Element => (
    <form action={model.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <button type="submit" class="button button-provider" data-provider={model.id}>
        <ProviderMark name={model.name} logo={parseProviderLogo(model.logo, frame.siteUrl)} mark={model.mark} />
        <span class="button-text">{t.translate("signIn.with", { provider: model.name })}</span>
      </button>
    </form>
  )
  return (
    <div class="providers">
      {models.slice(0, visibleProviders).map(toButton)}
      {models.length > visibleProviders && (
        <details class="more">
          <summary class="more-summary">{t.translate("signIn.more")}</summary>
          <div class="providers">{models.slice(visibleProviders).map(toButton)}</div>
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
  /** Whether its button is the page's main one. */
  readonly isMain: boolean
  /** The error message, if it is about this form. */
  readonly notice?: Children
  /** Whether what was typed into this form was refused. */
  readonly isInvalid?: boolean
  /** What was typed into this form, by field name. */
  readonly typed?: SignInContent["typed"]
}

interface EmailFormProps extends FormProps<EmailFormModel> {
  /** The address in the query. */
  readonly email: string | undefined
  readonly isOnlyEmail: boolean
}

function EmailForm(props: EmailFormProps): JSX.Element {
  const { model, hidden, t, hasPasskeyAutofill, isMain, notice, isInvalid = false, isOnlyEmail } = props
  const email = props.typed?.["email"] ?? props.email
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
      {notice}
      <HiddenFields {...hidden} />
      <Field
        formId={model.id}
        name="email"
        label={t.translate("signIn.email")}
        attributes={attributes}
        isInvalid={isInvalid}
      />
      <SubmitButton text={emailButtonText(model.name, isOnlyEmail, t)} isMain={isMain} />
    </form>
  )
}

/** The names of the email providers: visitors do not know the service that sends the mail. */
const mailServices: ReadonlySet<string> = new Set([
  "Email",
  "Forward Email",
  "Loops",
  "Mailgun",
  "Nodemailer",
  "Postmark",
  "Resend",
  "SendGrid",
])

/** A name that the host chose stays, and with several email forms their names tell them apart. */
function emailButtonText(name: string, isOnlyEmail: boolean, t: Translator): string {
  if (isOnlyEmail && mailServices.has(name)) return t.translate("signIn.withEmail")
  return t.translate("signIn.with", { provider: name })
}

interface FieldsFormProps extends FormProps<FieldsFormModel> {
  readonly isOnlyForm: boolean
}

function FieldsForm(props: FieldsFormProps): JSX.Element {
  const { model, hidden, hasPasskeyAutofill, isMain, notice, isInvalid = false, typed = {} } = props
  const fields = hasPasskeyAutofill ? withPasskeyAutofill(model.fields) : model.fields
  return (
    <form class="form" action={model.callbackUrl} method="post">
      {notice}
      <HiddenFields {...hidden} />
      <HostFields formId={model.id} fields={fields} isInvalid={isInvalid} typed={typed} />
      <SubmitButton text={fieldsButtonText(props)} isMain={isMain} />
      {model.links?.map(({ url, texts }) => (
        <a class="quiet" href={url}>
          {texts[props.t.language]}
        </a>
      ))}
    </form>
  )
}

/** A name that the host chose stays, and with several forms their names tell them apart. */
function fieldsButtonText({ model: { name, fields }, isOnlyForm, t }: FieldsFormProps): string {
  if (!isOnlyForm || name !== "Credentials") return t.translate("signIn.with", { provider: name })
  const hasPassword = Object.entries(fields).some(([key, field]) => fieldAttributes(key, field)["type"] === "password")
  return t.translate(hasPassword ? "signIn.withPassword" : "link.signIn")
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

function SubmitButton({ text, isMain }: { readonly text: string; readonly isMain: boolean }): JSX.Element {
  return (
    <button type="submit" class={isMain ? "button button-primary" : "button button-second"}>
      <span class="button-text">{text}</span>
    </button>
  )
}
