/** @jsxImportSource #markup */
import type { Children, JSX } from "../markup/jsx-runtime.js"
import { createTranslator, LinkButton, type PageFrame, renderDocument } from "../pages/document.js"
import { noticeId } from "../pages/error-message.js"
import { Field, SubmitButton } from "../pages/form.js"
import { factorWords } from "../words/second-factors.js"
import { createWords, type Words as WordsOf } from "../words/words.js"
import type { TotpSetup } from "./enrollment.js"

type Words = WordsOf<typeof factorWords>

interface FormContent {
  readonly csrfToken: string | undefined
  /** The form's target. */
  readonly action: string
  readonly isWrong: boolean
  readonly signInUrl: string
}

export interface CodeContent extends FormContent {
  readonly kind: "totp" | "recovery"
  /** The page for the other kind. Undefined if the user has no other. */
  readonly otherUrl: string | undefined
}

/** Asks for the code of an authenticator app, or for a recovery code. */
export function renderCodePage(content: CodeContent, frame: PageFrame): string {
  const isTotp = content.kind === "totp"
  return render(frame, isTotp ? "code.heading" : "recovery.heading", (words) => (
    <>
      <p>{words(isTotp ? "code.text" : "recovery.text")}</p>
      {content.isWrong && <Wrong text={words(isTotp ? "wrong.text" : "wrong.recovery")} words={words} />}
      <CodeForm
        content={content}
        label={words(isTotp ? "code.label" : "recovery.label")}
        isTotp={isTotp}
        words={words}
      />
      <div class="next-steps">
        {content.otherUrl !== undefined && (
          <LinkButton
            url={content.otherUrl}
            text={words(isTotp ? "code.recovery" : "recovery.totp")}
            rank="secondary"
          />
        )}
        <LinkButton url={content.signInUrl} text={words("link.other")} rank="secondary" />
      </div>
    </>
  ))
}

export interface EnrollContent extends FormContent {
  readonly setup: TotpSetup
}

/** Lets a user who needs a second factor set one up. */
export function renderEnrollPage(content: EnrollContent, frame: PageFrame): string {
  const { setup } = content
  return render(frame, "enroll.heading", (words) => (
    <>
      <p>{words(setup.qr === null ? "enroll.textNoQr" : "enroll.text")}</p>
      {setup.qr !== null && <img src={toDataUrl(setup.qr)} alt={words("enroll.qr")} width={200} height={200} />}
      <p>
        {setup.qr === null ? words("enroll.key") : words("enroll.keyHint")}{" "}
        <code>{setup.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
      </p>
      {content.isWrong && <Wrong text={words("wrong.text")} words={words} />}
      <CodeForm content={content} label={words("enroll.label")} isTotp={true} ticket={setup.ticket} words={words} />
      <div class="next-steps">
        <LinkButton url={content.signInUrl} text={words("link.other")} rank="secondary" />
      </div>
    </>
  ))
}

/** Shows new recovery codes, once. */
export function renderRecoveryCodesPage(codes: readonly string[], nextUrl: string, frame: PageFrame): string {
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
        <LinkButton url={nextUrl} text={words("saved.button")} rank="primary" />
      </div>
    </>
  ))
}

function render(frame: PageFrame, heading: Parameters<Words>[0], content: (words: Words) => Children): string {
  const t = createTranslator(frame)
  const words = createWords(factorWords, "factor.", frame.speech, { host: frame.siteName })
  return renderDocument({
    title: words(heading),
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{words(heading)}</h1>
        {content(words)}
      </>
    ),
  })
}

interface CodeFormProps {
  readonly content: FormContent
  readonly label: string
  readonly isTotp: boolean
  readonly ticket?: string
  readonly words: Words
}

function CodeForm({ content, label, isTotp, ticket, words }: CodeFormProps): JSX.Element {
  const { csrfToken, action, isWrong } = content
  return (
    <form class="form" action={action} method="post">
      {csrfToken !== undefined && <input type="hidden" name="csrfToken" value={csrfToken} />}
      {ticket !== undefined && <input type="hidden" name="ticket" value={ticket} />}
      <Field
        formId="second-factor"
        name="code"
        label={label}
        attributes={{
          type: "text",
          autocomplete: isTotp ? "one-time-code" : "off",
          ...(isTotp ? { inputmode: "numeric" } : { autocapitalize: "characters", spellcheck: "false" }),
          maxlength: 32,
          required: true,
          autofocus: true,
        }}
        isInvalid={isWrong}
      />
      <SubmitButton text={words("code.button")} isMain={true} />
    </form>
  )
}

function Wrong({ text, words }: { readonly text: string; readonly words: Words }): JSX.Element {
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
