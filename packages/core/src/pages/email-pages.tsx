/** @jsxImportSource #markup */

import { createTranslator, LinkButton, type PageFrame, renderDocument, type Translator } from "./document.js"
import { noticeId } from "./error-message.js"
import { codeAttributes, Field, HiddenFields, SubmitButton } from "./form.js"
import { waitScriptVersion } from "./generated/wait-script-version.js"
import type { JSX } from "./markup/jsx-runtime.js"
import { formatDuration } from "./theme/duration.js"

/** What the page of an email says about sending it again. */
export interface Resending {
  /** Whether this is another email than the first of the flow. */
  readonly isResent: boolean
  /** Seconds until it can be sent once more. */
  readonly pauseSeconds: number
}

export interface VerifyRequestContent {
  /** Lifetime of the link in seconds, if known. */
  readonly maxAgeSeconds?: number | undefined
  readonly signInUrl: string
  /** URL of the script that counts down. */
  readonly waitUrl: string
  /** Undefined if no code can be typed in this browser. */
  readonly codeForm?: CodeForm
}

/** The form for the code of a mail. */
interface CodeForm {
  readonly action: string
  readonly resendAction: string
  readonly csrfToken: string | undefined
  /** Names the mail whose code is typed. */
  readonly flow: string
  /** The address as this visitor typed it. */
  readonly address: string
  /** Where the visitor goes afterwards. */
  readonly callbackUrl: string | undefined
  /** Whether the last code was wrong. */
  readonly isWrong: boolean
  readonly resending: Resending
}

/** Tells the user to check their email. The page is the same whether or not the address has an account. */
export function renderVerifyRequestPage(content: VerifyRequestContent, frame: PageFrame): string {
  const { maxAgeSeconds, signInUrl, waitUrl, codeForm } = content
  const t = createTranslator(frame)
  const heading = t.translate("verifyRequest.heading")
  const duration = maxAgeSeconds === undefined ? "" : formatDuration(maxAgeSeconds, t.language)
  const isWrong = codeForm?.isWrong === true
  return renderDocument({
    // An error comes first because a screen reader reads the title first.
    title: isWrong ? `${t.translate("code.wrongTitle")} – ${heading}` : heading,
    frame,
    t,
    scriptUrl: codeForm && toWaitScript(codeForm.resending, waitUrl),
    children: codeForm ? (
      <>
        <h1 class="heading">{heading}</h1>
        {codeForm.resending.isResent && !isWrong && <ResentNotice t={t} />}
        <p>{t.translate("code.sent", { address: codeForm.address })}</p>
        <CodeFields form={codeForm} t={t} />
        <p class="quiet">{t.translate("code.missing")}</p>
        <ResendForm
          action={codeForm.resendAction}
          hidden={{ csrfToken: codeForm.csrfToken, email: codeForm.address, callbackUrl: codeForm.callbackUrl }}
          resending={codeForm.resending}
          t={t}
        />
        <div class="next-steps">
          <LinkButton url={signInUrl} text={t.translate("code.otherAddress")} rank="secondary" />
        </div>
      </>
    ) : (
      <>
        <h1 class="heading">{heading}</h1>
        <p>{t.translate(duration === "" ? "verifyRequest.sentOnce" : "verifyRequest.sent", { duration })}</p>
        <p class="quiet">{t.translate("verifyRequest.missing")}</p>
        <div class="next-steps">
          <LinkButton url={signInUrl} text={t.translate("verifyRequest.again")} rank="secondary" />
          <LinkButton url={frame.siteUrl} text={t.translate("link.back")} rank="secondary" />
        </div>
      </>
    ),
  })
}

interface CodeFormProps {
  readonly form: CodeForm
  readonly t: Translator
}

/** One field: password managers and phones fill in a code only there. */
function CodeFields({ form, t }: CodeFormProps): JSX.Element {
  return (
    <form class="form" action={form.action} method="post">
      {form.isWrong && (
        <div id={noticeId} class="notice" role="alert">
          <p>{t.translate("code.wrong")}</p>
        </div>
      )}
      <HiddenFields csrfToken={form.csrfToken} flow={form.flow} />
      <Field
        formId="code"
        name="code"
        label={t.translate("code.label")}
        attributes={{ ...codeAttributes, autofocus: true }}
        isInvalid={form.isWrong}
      />
      <SubmitButton text={t.translate("link.signIn")} isMain={true} />
    </form>
  )
}

/** Says that the email was sent again. */
export function ResentNotice({ t }: { readonly t: Translator }): JSX.Element {
  return (
    <div class="notice notice-hint" role="status">
      <p>{t.translate("code.resent")}</p>
    </div>
  )
}

interface ResendFormProps {
  readonly action: string
  readonly hidden: Readonly<Record<string, string | undefined>>
  readonly resending: Resending
  readonly t: Translator
}

/** The button stays while it has to wait: without scripts nothing would bring it back. With them, it counts down. */
export function ResendForm({ action, hidden, resending: { pauseSeconds }, t }: ResendFormProps): JSX.Element {
  const toText = (duration: string) => t.translate("tooMany.wait", { duration })
  return (
    <form class="form" action={action} method="post">
      <HiddenFields {...hidden} again="true" />
      <SubmitButton text={t.translate("code.again")} isMain={false} />
      {pauseSeconds > 0 && (
        <p class="quiet" data-wait={pauseSeconds} data-text={toText("{duration}")}>
          {toText(formatDuration(pauseSeconds, t.language))}
        </p>
      )}
    </form>
  )
}

/** The script of a page that waits. Others have none. */
export function toWaitScript({ pauseSeconds }: Resending, url: string): string | undefined {
  return pauseSeconds > 0 ? `${url}?v=${waitScriptVersion}` : undefined
}

export interface ConfirmContent {
  /** The masked address that the link was sent to, if it can be shown. */
  readonly address: string | undefined
  readonly csrfToken: string | undefined
  /** Whether the mail also holds a code. */
  readonly hasCode: boolean
}

/**
 * A link that was opened in a browser that did not ask for it: names whom it signs in, and waits for the button. Without
 * an action the form is sent to the link itself, so that its secret is not on the page.
 */
export function renderConfirmPage({ address, csrfToken, hasCode }: ConfirmContent, frame: PageFrame): string {
  const t = createTranslator(frame)
  const heading = t.translate("confirmLink.heading")
  return renderDocument({
    title: heading,
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{heading}</h1>
        <p>{t.translate(address === undefined ? "confirmLink.textWithoutAddress" : "confirmLink.text", { address })}</p>
        <form class="form" method="post">
          <HiddenFields csrfToken={csrfToken} />
          <SubmitButton text={t.translate("link.signIn")} isMain={true} />
        </form>
        {hasCode && <p class="quiet">{t.translate("confirmLink.code")}</p>}
        <p class="quiet">{t.translate("confirmLink.foreign")}</p>
      </>
    ),
  })
}

export interface CodePageContent {
  readonly code: string
  /** How long a code works after it was requested. */
  readonly codeMaxAgeSeconds: number
}

/** A link that signs in only where it was asked for: shows the code to type there. */
export function renderCodePage({ code, codeMaxAgeSeconds }: CodePageContent, frame: PageFrame): string {
  const t = createTranslator(frame)
  const heading = t.translate("showCode.heading")
  const duration = formatDuration(codeMaxAgeSeconds, t.language)
  return renderDocument({
    title: heading,
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{heading}</h1>
        <p>{t.translate("showCode.text")}</p>
        <p class="one-time-code">{code}</p>
        <p class="quiet">{t.translate("showCode.lifetime", { duration })}</p>
        <p class="quiet">{t.translate("showCode.foreign")}</p>
      </>
    ),
  })
}
