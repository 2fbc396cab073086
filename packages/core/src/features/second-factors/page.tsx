/** @jsxImportSource #markup */

import { type Translate as TranslateOf, translateFrom } from "../../messages/translate.js"
import { createTranslator, Divider, LinkButton, type PageFrame, type Translator } from "../../pages/document.js"
import {
  codeAttributes,
  Field,
  type FieldAttributes,
  HiddenFields,
  type HiddenFieldsProps,
  SubmitButton,
} from "../../pages/form.js"
import type { PasskeyForm } from "../../pages/form-model.js"
import type { Children, JSX } from "../../pages/markup/jsx-runtime.js"
import { formatDuration } from "../../pages/theme/duration.js"
import { FormError, NextSteps, renderFormPage } from "../form-page.js"
import type { TotpSetup } from "./enrollment.js"
import { factorMessages } from "./messages.js"

export type Translate = TranslateOf<typeof factorMessages>

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
  const renderContent: RenderContent = (translate, t) => (
    <>
      <p>{translate(isTotp ? "code.text" : "recovery.text")}</p>
      {isWrong && <Wrong text={translate(isTotp ? "wrong.text" : "wrong.recovery")} translate={translate} />}
      <CodeForm
        content={content}
        label={translate(isTotp ? "code.label" : "recovery.label")}
        isTotp={isTotp}
        // One of the few recovery codes is used where the usual device is lost.
        remembered={isTotp && rememberDays ? formatDuration(rememberDays * daySeconds, t.language) : undefined}
        translate={translate}
      />
      {passkey && <PasskeyMethod passkey={passkey} frame={frame} t={t} isMain={false} hasDivider={true} />}
      <div class="next-steps">
        {otherUrl !== undefined && (
          <LinkButton url={otherUrl} text={translate(isTotp ? "code.recovery" : "recovery.totp")} rank="secondary" />
        )}
        <LinkButton url={signInUrl} text={translate("link.other")} rank="secondary" />
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
  const renderContent: RenderContent = (translate, t) => (
    <>
      <p>{translate("passkey.text")}</p>
      <PasskeyMethod passkey={passkey} frame={frame} t={t} isMain={true} hasDivider={false} />
      <div class="next-steps">
        {otherUrl !== undefined && <LinkButton url={otherUrl} text={translate("code.recovery")} rank="secondary" />}
        <LinkButton url={signInUrl} text={translate("link.other")} rank="secondary" />
      </div>
    </>
  )
  return render(frame, "passkey.heading", renderContent, passkey.model.scriptUrl)
}

type PasskeyLinks = Pick<CodeContent, "otherUrl" | "signInUrl">

interface PasskeyMethodProps {
  readonly passkey: PasskeyContent
  readonly frame: PageFrame
  readonly t: Translator
  readonly isMain: boolean
  readonly hasDivider: boolean
}

/** The form for a passkey, with the place for its messages. */
export function PasskeyMethod({
  passkey: { model, hidden },
  frame,
  t,
  isMain,
  hasDivider,
}: PasskeyMethodProps): JSX.Element {
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
  readonly text: (translate: Translate) => string
}

export interface EnrollContent extends FormContent {
  readonly setup: TotpSetup
  /** Whether the last form had a key that could no longer be set up. */
  readonly isStale: boolean
  /** For a user who does not want to set one up. */
  readonly exit: Exit
}

/** A frame with the script of these pages. */
interface ScriptFrame extends PageFrame {
  readonly scriptUrl: string
}

/** Lets a user set up an authenticator app, on this device or on another. */
export function renderEnrollPage(content: EnrollContent, frame: ScriptFrame): string {
  const { setup, exit, isWrong, isStale } = content
  const renderContent: RenderContent = (translate, t) => (
    <>
      {isStale && <FormError heading={t.translate("staleForm.heading")} text={t.translate("staleForm.text")} />}
      <p>{translate(setup.qr === null ? "enroll.textNoQr" : "enroll.text")}</p>
      {setup.qr !== null && (
        <a class="qr" href={setup.uri}>
          <img src={toDataUrl(setup.qr)} alt={translate("enroll.qr")} width={184} height={184} />
        </a>
      )}
      <a class="link open-app" href={setup.uri}>
        {translate("enroll.open")}
      </a>
      <div class="key">
        <p id="setup-key-label">{translate(setup.qr === null ? "enroll.key" : "enroll.keyHint")}</p>
        <div class="key-row">
          {/* In a box of its own, so that its groups are read and wrapped from left to right in every language. */}
          <code class="key-text" id="setup-key" dir="ltr">
            {setup.secret.replace(/(.{4})(?=.)/g, "$1 ")}
          </code>
          <CopyButton source="setup-key" describedBy="setup-key-label" translate={translate} />
        </div>
      </div>
      {isWrong && <Wrong text={translate("wrong.text")} translate={translate} />}
      <CodeForm
        content={content}
        label={translate("enroll.label")}
        isTotp={true}
        // The page begins with what there is to do before.
        hasFocus={isWrong}
        ticket={setup.ticket}
        translate={translate}
      />
      <NextSteps links={[{ url: exit.url, text: exit.text(translate) }]} />
    </>
  )
  return render(frame, "enroll.heading", renderContent, frame.scriptUrl)
}

interface CodesContent extends Pick<FormContent, "csrfToken" | "action"> {
  readonly codes: readonly string[]
}

/** Shows new recovery codes, until the user says that they are saved. */
export function renderRecoveryCodesPage({ codes, csrfToken, action }: CodesContent, frame: ScriptFrame): string {
  const renderContent: RenderContent = (translate) => (
    <>
      <p>{translate("saved.text")}</p>
      <ul class="codes" id="recovery-codes" dir="ltr">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <form class="code-actions" action={action} method="post">
        <HiddenFields {...{ csrfToken, action: "download" }} />
        <CopyButton source="recovery-codes" translate={translate} />
        <SubmitButton text={translate("saved.download")} isMain={false} />
        <button type="button" class="button" data-print hidden>
          <span class="button-text">{translate("saved.print")}</span>
        </button>
      </form>
      <form class="form" action={action} method="post">
        <HiddenFields {...{ csrfToken }} />
        <SubmitButton text={translate("saved.done")} isMain={true} />
      </form>
    </>
  )
  return render(frame, "saved.heading", renderContent, frame.scriptUrl)
}

/** @param accountUrl Where the user creates new codes. Undefined if there is no such page of the service. */
export function renderCodesGonePage(accountUrl: string | undefined, frame: PageFrame): string {
  return render(frame, "saved.goneHeading", (translate, t) => (
    <>
      <p>{translate("saved.goneText")}</p>
      <NextSteps
        links={[
          ...(accountUrl === undefined ? [] : [{ url: accountUrl, text: translate("code.button") }]),
          { url: frame.siteUrl, text: t.translate("link.back") },
        ]}
      />
    </>
  ))
}

interface CopyButtonProps {
  /** The id of the element whose text is copied. */
  readonly source: string
  /** The id of the text that says what it is, unless the page is about nothing else. */
  readonly describedBy?: string
  readonly translate: Translate
}

/** The messages of these pages, in the language of the page. */
export function translateFactors({ locale, siteName }: PageFrame): Translate {
  return translateFrom(factorMessages, "factor.", locale, { host: siteName })
}

/** Hidden until the script has loaded. */
function CopyButton({ source, describedBy, translate }: CopyButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class="button small-button"
      data-copy={source}
      data-copied={translate("copied")}
      aria-describedby={describedBy}
      aria-live="polite"
      hidden
    >
      <span class="button-text">{translate("copy")}</span>
    </button>
  )
}

export type RenderContent = (translate: Translate, t: Translator) => Children

/** Renders a page of this feature. */
export function render(
  frame: PageFrame,
  heading: Parameters<Translate>[0],
  content: RenderContent,
  scriptUrl?: string,
): string {
  const t = createTranslator(frame)
  const translate = translateFactors(frame)
  const text = translate(heading)
  return renderFormPage(
    { heading: text, markedHeading: keepCompounds(text), content: content(translate, t), scriptUrl },
    frame,
  )
}

/** Browsers break a line after a hyphen, and "two-" above "step" is hard to read. */
function keepCompounds(text: string): Children {
  return text.split(/(\s+)/).map((part) => (/\w-\w/.test(part) ? <span class="unbroken">{part}</span> : part))
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
  /** Whether its field has the focus. Default: as `isMain`. */
  readonly hasFocus?: boolean
  readonly translate: Translate
}

const recoveryAttributes: FieldAttributes = {
  type: "text",
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: "false",
  maxlength: 64,
  required: true,
  dir: "ltr",
}

export function CodeForm(props: CodeFormProps): JSX.Element {
  const { content, label, isTotp, ticket, remembered, isMain = true, hasFocus = isMain, translate } = props
  const { csrfToken, action, isWrong, fields } = content
  return (
    <form class="form" action={action} method="post">
      <HiddenFields {...{ csrfToken, ticket, ...fields }} />
      <Field
        formId={isTotp ? "second-factor" : "recovery"}
        name="code"
        label={label}
        attributes={{ ...(isTotp ? codeAttributes : recoveryAttributes), autofocus: hasFocus }}
        isInvalid={isWrong}
      />
      {remembered !== undefined && (
        <Field
          formId="second-factor"
          name="remember"
          label={translate("code.remember", { duration: remembered })}
          attributes={{ type: "checkbox", value: "true" }}
          isInvalid={false}
        />
      )}
      <SubmitButton text={translate("code.button")} isMain={isMain} />
    </form>
  )
}

export function Wrong({ text, translate }: { readonly text: string; readonly translate: Translate }): JSX.Element {
  return <FormError heading={translate("wrong.heading")} text={text} />
}

/** An image runs no script of a drawing, and needs none of the page's own rules. */
function toDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
