/** @jsxImportSource #markup */

import type { PageFrame, Translator } from "./document.js"
import { Field, fieldAttributes, HiddenFields, HostFields, SubmitButton } from "./form.js"
import type { EmailForm, FieldsForm, FormModel, FormTexts, PersonForm, PersonProps } from "./form-model.js"
import type { Children, JSX } from "./markup/jsx-runtime.js"

/** The parts of the page that begin with the person. */
export interface PersonParts {
  /** The main form, above everything else. */
  readonly first: Children
  /** Below the ways without typing. */
  readonly last: readonly JSX.Element[]
}

/**
 * The forms that begin with the person. With passwords and one kind of email, a single field asks who signs in, and the
 * second step offers both, whether or not there is such an account. Otherwise the first form stands out, and others with
 * fields of the host are folded.
 */
export function renderPersonForms(forms: readonly PersonForm[], props: PersonProps): PersonParts {
  const pair = findPair(forms)
  const sorted = [...forms.filter(({ kind }) => kind === "email"), ...forms.filter(({ kind }) => kind === "fields")]
  const main = sorted.find((form) => form === props.failed) ?? sorted[0]
  const others = sorted.filter((form) => (pair ? form !== pair.email && form !== pair.password : form !== main))
  const last = others.map((form) => renderForm(form, forms, props, rankOf(form, props)))
  if (pair) return { first: pair.password.own.renderSteps(pair.password, pair.email, props), last }
  return { first: main ? renderForm(main, forms, props, "main") : undefined, last }
}

/** A form for an address and one for a password, if the page has one of each. */
function findPair(forms: readonly PersonForm[]) {
  const [email, another] = forms.filter((form) => form.kind === "email")
  const password = forms.find((form) => form.kind === "fields" && form.own)
  return email && !another && hasOwn(password) ? { email, password } : undefined
}

function hasOwn(form: PersonForm | undefined): form is FieldsForm & Required<Pick<FieldsForm, "own">> {
  return form?.kind === "fields" && form.own !== undefined
}

/** Whether the page shows the second step: the person is known, and chooses how to prove it. */
export function isSecondStep(
  forms: readonly PersonForm[],
  { person, failed }: Pick<PersonProps, "person" | "failed">,
): boolean {
  return person !== undefined && failed?.kind !== "email" && findPair(forms) !== undefined
}

/** Whether a form has a link for new visitors. */
export function offersSignUp({ locale, siteName }: PageFrame): (form: FormModel) => boolean {
  return (form) => form.kind === "fields" && form.own !== undefined && form.own.say(locale, siteName).signUp.length > 0
}

type Rank = "main" | "second" | "folded"

/** A form that failed shows what is wrong, so it is not folded. */
function rankOf(form: PersonForm, { failed }: PersonProps): Rank {
  return form.kind === "fields" && form !== failed ? "folded" : "second"
}

function renderForm(form: PersonForm, all: readonly PersonForm[], props: PersonProps, rank: Rank): JSX.Element {
  const isOnly = all.filter(({ kind }) => kind === form.kind).length === 1
  if (form.kind === "email") return <EmailFields form={form} isOnly={isOnly} isMain={rank === "main"} props={props} />
  const fields = <HostForm form={form} isOnly={isOnly} isMain={rank === "main"} props={props} />
  if (rank !== "folded") return fields
  return (
    <details class="more">
      <summary class="more-summary">{fieldsButtonText(form, isOnly, props)}</summary>
      {fields}
    </details>
  )
}

interface FormProps<Form> {
  readonly form: Form
  /** Whether it is the only form of its kind. */
  readonly isOnly: boolean
  readonly isMain: boolean
  readonly props: PersonProps
}

function EmailFields({ form, isOnly, isMain, props }: FormProps<EmailForm>): JSX.Element {
  const { hidden, t, failed, notice } = props
  return (
    <form class="form" action={form.signinUrl} method="post">
      {form === failed && notice}
      <HiddenFields {...hidden} />
      <PersonField
        formId={form.id}
        label={t.translate("signIn.email")}
        form={form}
        type="email"
        autocomplete="email"
        props={props}
      />
      <SubmitButton text={emailButtonText(form.name, isOnly, t)} isMain={isMain} />
    </form>
  )
}

interface PersonFieldProps {
  readonly formId: string
  readonly label: string
  readonly form: EmailForm
  readonly type: "email" | "text"
  /** What password managers fill in: the name that a password belongs to, or an address. */
  readonly autocomplete: "username" | "email"
  readonly props: PersonProps
}

export function PersonField({ formId, label, form, type, autocomplete, props }: PersonFieldProps): JSX.Element {
  const { hasPasskeyAutofill, failed, typed, email } = props
  const isInvalid = form === failed && props.isInvalid
  const value = (form === failed ? typed?.["email"] : undefined) ?? email
  const attributes = {
    type,
    required: true,
    autocomplete: hasPasskeyAutofill ? "username webauthn" : autocomplete,
    inputmode: "email",
    autocapitalize: "none",
    spellcheck: "false",
    ...(value !== undefined && { value }),
  }
  return <Field formId={formId} name="email" label={label} attributes={attributes} isInvalid={isInvalid} />
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
function emailButtonText(name: string, isOnly: boolean, t: Translator): string {
  if (isOnly && mailServices.has(name)) return t.translate("signIn.withEmail")
  return t.translate("signIn.with", { provider: name })
}

function HostForm({ form, isOnly, isMain, props }: FormProps<FieldsForm>): JSX.Element {
  const { hidden, frame, hasPasskeyAutofill, failed, notice, typed = {} } = props
  const texts = form.own?.say(frame.locale, frame.siteName)
  const own = form === failed
  const fields = hasPasskeyAutofill ? withPasskeyAutofill(form.fields) : form.fields
  return (
    <form class="form" action={form.callbackUrl} method="post">
      {own && notice}
      <HiddenFields {...hidden} />
      <HostFields
        formId={form.id}
        fields={fields}
        {...(texts && { labels: texts.labels })}
        isInvalid={own && props.isInvalid}
        typed={own ? typed : {}}
      />
      <SubmitButton text={fieldsButtonText(form, isOnly, props)} isMain={isMain} />
      {texts && <Links links={[...texts.links, ...texts.signUp]} />}
    </form>
  )
}

export function Links({ links }: Pick<FormTexts, "links">): JSX.Element {
  return (
    <>
      {links.map(({ url, text }) => (
        <a class="link" href={url}>
          {text}
        </a>
      ))}
    </>
  )
}

/** A name that the host chose stays, and with several forms their names tell them apart. */
function fieldsButtonText(form: FieldsForm, isOnly: boolean, { t, frame }: PersonProps): string {
  const { name, fields, own } = form
  if (own) return own.say(frame.locale, frame.siteName).button
  if (!isOnly || name !== "Credentials") return t.translate("signIn.with", { provider: name })
  const hasPassword = Object.entries(fields).some(([key, field]) => fieldAttributes(key, field)["type"] === "password")
  return t.translate(hasPassword ? "signIn.withPassword" : "link.signIn")
}

/** HTML section 4.10.18.7: `webauthn` is the last token of `autocomplete`. */
function withPasskeyAutofill(fields: FieldsForm["fields"]): FieldsForm["fields"] {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { autocomplete } = fieldAttributes(name, field)
    const isUserName = autocomplete === "username" || autocomplete === "email"
    return [name, isUserName ? { ...field, autocomplete: `${autocomplete} webauthn` } : field] as const
  })
  return Object.fromEntries(entries)
}
