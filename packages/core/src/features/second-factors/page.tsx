/** @jsxImportSource #markup */
import type { Children, JSX } from "../../markup/jsx-runtime.js"
import { factorWords } from "../../messages/second-factors.js"
import { createWords, type Words as WordsOf } from "../../messages/words.js"
import {
  createTranslator,
  Divider,
  LinkButton,
  type PageFrame,
  renderDocument,
  type Translator,
} from "../../pages/document.js"
import { noticeId } from "../../pages/error-message.js"
import { Field, HiddenFields, type HiddenFieldsProps, SubmitButton } from "../../pages/form.js"
import type { PasskeyForm } from "../../pages/form-model.js"
import { formatDuration } from "../../theme/duration.js"
import type { TotpSetup } from "./enrollment.js"

export type Words = WordsOf<typeof factorWords>

export interface FormContent {
  readonly csrfToken: string | undefined
  /** The form's target. */
  readonly action: string
  /** Other hidden fields. */
  readonly fields?: Readonly<Record<string, string>>
  readonly isWrong: boolean
}

export interface CodeContent extends FormContent {
  readonly signInUrl: string
  readonly kind: "totp" | "recovery"
  /** The page for the other kind. Undefined if the user has no other. */
  readonly otherUrl: string | undefined
  /** The form for a passkey of the user. Undefined if there is none. */
  readonly passkey: PasskeyContent | undefined
  /** For how many days the user can have this device remembered. Undefined if that is not offered. */
  readonly rememberDays: number | undefined
}

const daySeconds = 24 * 60 * 60

/** Asks for the code of an authenticator app, or for a recovery code. */
export function renderCodePage(content: CodeContent, frame: PageFrame): string {
  const { kind, isWrong, otherUrl, passkey, rememberDays, signInUrl } = content
  const isTotp = kind === "totp"
  const renderContent: RenderContent = (words, t) => (
    <>
      <p>{words(isTotp ? "code.text" : "recovery.text")}</p>
      {isWrong && <Wrong text={words(isTotp ? "wrong.text" : "wrong.recovery")} words={words} />}
      <CodeForm
        content={content}
        label={words(isTotp ? "code.label" : "recovery.label")}
        isTotp={isTotp}
        // One of the few recovery codes is used where the usual device is lost.
        remembered={isTotp && rememberDays ? formatDuration(rememberDays * daySeconds, t.language) : undefined}
        words={words}
      />
      {passkey && <PasskeyWay passkey={passkey} frame={frame} t={t} isMain={false} hasDivider={true} />}
      <div class="next-steps">
        {otherUrl !== undefined && (
          <LinkButton url={otherUrl} text={words(isTotp ? "code.recovery" : "recovery.totp")} rank="secondary" />
        )}
        <LinkButton url={signInUrl} text={words("link.other")} rank="secondary" />
      </div>
    </>
  )
  return render(frame, isTotp ? "code.heading" : "recovery.heading", renderContent, passkey?.model.scriptUrl)
}

export interface PasskeyContent {
  readonly model: PasskeyForm
  readonly hidden: HiddenFieldsProps
}

/** Asks a user for a passkey who has no code to give. */
export function renderPasskeyPage(passkey: PasskeyContent, links: PasskeyLinks, frame: PageFrame): string {
  const { otherUrl, signInUrl } = links
  const renderContent: RenderContent = (words, t) => (
    <>
      <p>{words("passkey.text")}</p>
      <PasskeyWay passkey={passkey} frame={frame} t={t} isMain={true} hasDivider={false} />
      <div class="next-steps">
        {otherUrl !== undefined && <LinkButton url={otherUrl} text={words("code.recovery")} rank="secondary" />}
        <LinkButton url={signInUrl} text={words("link.other")} rank="secondary" />
      </div>
    </>
  )
  return render(frame, "passkey.heading", renderContent, passkey.model.scriptUrl)
}

type PasskeyLinks = Pick<CodeContent, "otherUrl" | "signInUrl">

interface PasskeyWayProps {
  readonly passkey: PasskeyContent
  readonly frame: PageFrame
  readonly t: Translator
  readonly isMain: boolean
  readonly hasDivider: boolean
}

/** The form for a passkey, with the place for its messages. */
export function PasskeyWay({ passkey: { model, hidden }, frame, t, isMain, hasDivider }: PasskeyWayProps): JSX.Element {
  return (
    <>
      {hasDivider && <Divider t={t} />}
      <div class="notice" role="alert" data-passkey-message hidden />
      {model.render(model, { hidden, frame, t, providers: [], isMain, isSignUpShown: false })}
    </>
  )
}

/** A link, in words of this feature or of the page that the user came from. */
export interface Exit {
  readonly url: string
  readonly text: (words: Words) => string
}

export interface EnrollContent extends FormContent {
  readonly setup: TotpSetup
  /** For a user who does not want to set one up. */
  readonly exit: Exit
}

/** Lets a user who needs a second factor set one up. */
export function renderEnrollPage(content: EnrollContent, frame: PageFrame): string {
  const { setup, exit } = content
  return render(frame, "enroll.heading", (words) => (
    <>
      <p>{words(setup.qr === null ? "enroll.textNoQr" : "enroll.text")}</p>
      {setup.qr !== null && <img src={toDataUrl(setup.qr)} alt={words("enroll.qr")} width={200} height={200} />}
      <p>{setup.qr === null ? words("enroll.key") : words("enroll.keyHint")}</p>
      {/* On a line of its own, so that its groups are read and wrapped from left to right in every language. */}
      <code dir="ltr">{setup.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
      {content.isWrong && <Wrong text={words("wrong.text")} words={words} />}
      <CodeForm content={content} label={words("enroll.label")} isTotp={true} ticket={setup.ticket} words={words} />
      <div class="next-steps">
        <LinkButton url={exit.url} text={exit.text(words)} rank="secondary" />
      </div>
    </>
  ))
}

/** Shows new recovery codes, once. */
export function renderRecoveryCodesPage(codes: readonly string[], next: Exit, frame: PageFrame): string {
  return render(frame, "saved.heading", (words) => (
    <>
      <p>{words("saved.text")}</p>
      <ul>
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="next-steps">
        <LinkButton url={next.url} text={next.text(words)} rank="primary" />
      </div>
    </>
  ))
}

export type RenderContent = (words: Words, t: Translator) => Children

/** Renders a page of this feature. */
export function render(
  frame: PageFrame,
  heading: Parameters<Words>[0],
  content: RenderContent,
  scriptUrl?: string,
): string {
  const t = createTranslator(frame)
  const words = createWords(factorWords, "factor.", frame.speech, { host: frame.siteName })
  return renderDocument({
    title: words(heading),
    frame,
    t,
    scriptUrl,
    children: (
      <>
        <h1 class="heading">{words(heading)}</h1>
        {content(words, t)}
      </>
    ),
  })
}

interface CodeFormProps {
  readonly content: FormContent
  readonly label: string
  readonly isTotp: boolean
  readonly ticket?: string
  /** For how long the user can have this device remembered, in words. Undefined if that is not offered. */
  readonly remembered?: string | undefined
  /** Whether its button is the page's main one. Default: true. */
  readonly isMain?: boolean
  readonly words: Words
}

export function CodeForm(props: CodeFormProps): JSX.Element {
  const { content, label, isTotp, ticket, remembered, isMain = true, words } = props
  const { csrfToken, action, isWrong, fields } = content
  return (
    <form class="form" action={action} method="post">
      <HiddenFields {...{ csrfToken, ticket, ...fields }} />
      <Field
        formId={isTotp ? "second-factor" : "recovery"}
        name="code"
        label={label}
        attributes={{
          type: "text",
          autocomplete: isTotp ? "one-time-code" : "off",
          ...(isTotp ? { inputmode: "numeric" } : { autocapitalize: "characters", spellcheck: "false" }),
          maxlength: 32,
          required: true,
          autofocus: isMain,
        }}
        isInvalid={isWrong}
      />
      {remembered !== undefined && (
        <Field
          formId="second-factor"
          name="remember"
          label={words("code.remember", { duration: remembered })}
          attributes={{ type: "checkbox", value: "true" }}
          isInvalid={false}
        />
      )}
      <SubmitButton text={words("code.button")} isMain={isMain} />
    </form>
  )
}

export function Wrong({ text, words }: { readonly text: string; readonly words: Words }): JSX.Element {
  return (
    <div id={noticeId} class="notice" role="alert">
      <p class="notice-heading">{words("wrong.heading")}</p>
      <p>{text}</p>
    </div>
  )
}

/** An image runs no script of a drawing, and needs none of the page's own rules. */
function toDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
