import { Fragment, type JSX } from "preact"
import { type DeveloperDetails, type PageFrame, parseProviderLogo, renderDocument } from "./document.js"
import { ErrorFooter, type ErrorMessage, errorHeading, findErrorMessage, Notice } from "./error-message.js"
import { Field, fieldAttributes, HiddenFields, type HiddenFieldsProps, HostFields } from "./form.js"
import type {
  EmailForm as EmailFormModel,
  FieldsForm,
  FormModel,
  PasskeyForm as PasskeyFormModel,
  RedirectForm,
} from "./form-model.js"
import { createTranslator, type Translator } from "./messages.js"
import { PasskeyForm } from "./passkey-form.js"

export interface SignInContent {
  /** In the host's order, which is kept among those of one kind. */
  readonly providers: readonly FormModel[]
  readonly csrfToken: string | undefined
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
  /** What the email field begins with: untrusted text. */
  readonly email?: string | undefined
  /** The `error` of the query: untrusted text. */
  readonly error?: string | undefined
  /** The `code` of the query, which says more about some errors: untrusted text. */
  readonly errorCode?: string | undefined
  /** Id of the provider that failed: untrusted text, looked up among `providers`. */
  readonly errorProvider?: string | undefined
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
}

/** The sign-in page: passkeys and providers first, then email, then the host's own forms. It works without scripts. */
export function renderSignInPage(content: SignInContent, frame: PageFrame): string {
  const speech = createTranslator(frame)
  const situation = content.error ? findErrorMessage(content.error, content.errorCode) : undefined
  const scriptUrl = content.providers.find(isPasskey)?.scriptUrl
  return renderDocument({
    title: pageTitle(content, situation, speech),
    frame,
    speech,
    scriptUrl,
    children: (
      <>
        <h1 class="heading">{speech.say("signIn.heading")}</h1>
        {scriptUrl !== undefined && <div class="notice" role="alert" data-passkey-message hidden />}
        {situation && <Notice situation={situation} providerName={failedProvider(content)} speech={speech} />}
        <Ways blocks={toBlocks({ content, situation, frame, speech })} speech={speech} />
        <ErrorFooter reference={content.reference} details={content.details} speech={speech} />
      </>
    ),
  })
}

/** After a failure the title begins with it, since that is what a screen reader says first. */
function pageTitle(content: SignInContent, situation: ErrorMessage | undefined, speech: Translator): string {
  const page = speech.say("signIn.title")
  if (!situation) return page
  const error = errorHeading(situation, speech, failedProvider(content)) ?? speech.say("general.heading")
  return speech.say("title.afterError", { error, page })
}

function failedProvider({ errorProvider, providers }: SignInContent): string | undefined {
  return providers.find(({ id }) => id === errorProvider)?.name
}

interface WaysProps {
  readonly blocks: readonly JSX.Element[]
  readonly speech: Translator
}

function Ways({ blocks, speech }: WaysProps): JSX.Element {
  if (blocks.length === 0) return <p>{speech.say("signIn.none")}</p>
  return (
    <>
      {blocks.map((block, index) => (
        <Fragment>
          {index > 0 && (
            <p class="divider">
              <span>{speech.say("signIn.or")}</span>
            </p>
          )}
          {block}
        </Fragment>
      ))}
    </>
  )
}

interface BlockNeeds {
  readonly content: SignInContent
  readonly situation: ErrorMessage | undefined
  readonly frame: PageFrame
  readonly speech: Translator
}

/** Everything that stands between two dividers. */
function toBlocks({ content, situation, frame, speech }: BlockNeeds): readonly JSX.Element[] {
  const { providers, email } = content
  const hidden = { csrfToken: content.csrfToken, callbackUrl: content.callbackUrl }
  const passkeys = providers.filter(isPasskey)
  const buttons = providers.filter(leadsElsewhere)
  const emails = providers.filter((choice) => choice.kind === "email")
  const forms = providers.filter((choice) => choice.kind === "fields")
  const form = { hidden, speech, offersPasskeys: passkeys.some(({ hasAutofill }) => hasAutofill) }
  const isOnlyWay = providers.length === 1
  const isRefused = (concern: ErrorMessage["concern"]): boolean => situation?.concern === concern
  return [
    ...passkeys.map((choice) => <PasskeyForm choice={choice} hidden={hidden} speech={speech} isOnlyWay={isOnlyWay} />),
    ...(buttons.length > 0
      ? [<ProviderButtons choices={buttons} hidden={hidden} siteUrl={frame.siteUrl} speech={speech} />]
      : []),
    ...emails.map((choice) => <EmailForm {...form} choice={choice} email={email} isRefused={isRefused("email")} />),
    ...forms.map((choice) => <CredentialsForm {...form} choice={choice} isRefused={isRefused("credentials")} />),
  ]
}

function isPasskey(choice: FormModel): choice is PasskeyFormModel {
  return choice.kind === "passkey"
}

function leadsElsewhere(choice: FormModel): choice is RedirectForm {
  return choice.kind === "redirect"
}

interface FormNeeds {
  readonly hidden: HiddenFieldsProps
  readonly speech: Translator
  /** Whether the browser may offer passkeys where a name or an address is typed. */
  readonly offersPasskeys: boolean
}

interface EmailFormProps extends FormNeeds {
  readonly choice: EmailFormModel
  /** What the field begins with. */
  readonly email: string | undefined
  readonly isRefused: boolean
}

function EmailForm({ choice, hidden, speech, offersPasskeys, email, isRefused }: EmailFormProps): JSX.Element {
  const attributes = {
    type: "email",
    required: true,
    autocomplete: offersPasskeys ? "username webauthn" : "email",
    inputmode: "email",
    autocapitalize: "none",
    spellcheck: "false",
    ...(email === undefined ? {} : { value: email }),
    ...(isRefused ? { autofocus: true } : {}),
  }
  return (
    <form class="form" action={choice.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <Field
        formId={choice.id}
        name="email"
        label={speech.say("signIn.email")}
        attributes={attributes}
        isRefused={isRefused}
      />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

interface CredentialsFormProps extends FormNeeds {
  readonly choice: FieldsForm
  readonly isRefused: boolean
}

function CredentialsForm({ choice, hidden, speech, offersPasskeys, isRefused }: CredentialsFormProps): JSX.Element {
  const fields = offersPasskeys ? withPasskeys(choice.fields) : choice.fields
  return (
    <form class="form" action={choice.callbackUrl} method="post">
      <HiddenFields {...hidden} />
      <HostFields formId={choice.id} fields={fields} isRefused={isRefused} />
      <SubmitButton name={choice.name} speech={speech} />
    </form>
  )
}

/** HTML section 4.10.18.7: `webauthn` comes last, after what the field is filled with otherwise. */
function withPasskeys(fields: FieldsForm["fields"]): FieldsForm["fields"] {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { autocomplete } = fieldAttributes(name, field)
    const isName = autocomplete === "username" || autocomplete === "email"
    return [name, isName ? { ...field, autocomplete: `${autocomplete} webauthn` } : field] as const
  })
  return Object.fromEntries(entries)
}

function SubmitButton({ name, speech }: { readonly name: string; readonly speech: Translator }): JSX.Element {
  return (
    <button type="submit" class="button button-primary">
      <span class="button-text">{speech.say("signIn.with", { provider: name })}</span>
    </button>
  )
}

/** How many buttons stand in the open. */
const openButtons = 6

interface ProviderButtonsProps {
  readonly choices: readonly RedirectForm[]
  readonly hidden: HiddenFieldsProps
  readonly siteUrl: string
  readonly speech: Translator
}

/** A button for each provider; the rest of a long list waits behind a fold. */
function ProviderButtons({ choices, hidden, siteUrl, speech }: ProviderButtonsProps): JSX.Element {
  const toButton = (choice: RedirectForm): JSX.Element => (
    <ProviderButton choice={choice} hidden={hidden} siteUrl={siteUrl} speech={speech} />
  )
  return (
    <div class="providers">
      {choices.slice(0, openButtons).map(toButton)}
      {choices.length > openButtons && (
        <details class="more">
          <summary class="more-summary">{speech.say("signIn.more")}</summary>
          <div class="providers">{choices.slice(openButtons).map(toButton)}</div>
        </details>
      )}
    </div>
  )
}

interface ProviderButtonProps {
  readonly choice: RedirectForm
  readonly hidden: HiddenFieldsProps
  readonly siteUrl: string
  readonly speech: Translator
}

function ProviderButton({ choice, hidden, siteUrl, speech }: ProviderButtonProps): JSX.Element {
  return (
    <form action={choice.signinUrl} method="post">
      <HiddenFields {...hidden} />
      <button type="submit" class="button button-provider" data-provider={choice.id}>
        <ProviderMark name={choice.name} logo={parseProviderLogo(choice.logo, siteUrl)} mark={choice.mark} />
        <span class="button-text">{speech.say("signIn.with", { provider: choice.name })}</span>
      </button>
    </form>
  )
}

interface ProviderMarkProps {
  readonly name: string
  readonly logo: string | undefined
  readonly mark: string | undefined
}

/** The name stands beside it, so the mark says nothing to those who listen, and is no part of the button's text. */
function ProviderMark({ name, logo, mark }: ProviderMarkProps): JSX.Element {
  if (logo !== undefined) return <img class="mark" src={logo} alt="" width={24} height={24} />
  if (mark !== undefined) return <DrawnMark path={mark} />
  return <span class="mark mark-letter" data-letter={firstLetter(name)} aria-hidden="true" />
}

/** In one colour, which the stylesheet says: the pages' policy allows no style in the markup. */
function DrawnMark({ path }: { readonly path: string }): JSX.Element {
  return (
    <svg class="mark mark-drawn" viewBox="0 0 24 24" aria-hidden="true">
      <path fill="currentColor" d={path} />
    </svg>
  )
}

function firstLetter(name: string): string {
  const [letter = ""] = name.trim()
  return letter.toUpperCase()
}
