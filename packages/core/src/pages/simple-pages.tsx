/** @jsxImportSource #markup */

import {
  createTranslator,
  type DeveloperDetails,
  LinkButton,
  type PageFrame,
  renderDocument,
  type Translator,
} from "./document.js"
import {
  ErrorFooter,
  errorHeading,
  errorSentence,
  errorText,
  findErrorMessage,
  type NextStep,
} from "./error-message.js"
import { HiddenFields, SubmitButton } from "./form.js"
import type { JSX } from "./markup/jsx-runtime.js"
import { formatDuration } from "./theme/duration.js"

export interface ErrorContent {
  /** The `error` query parameter: untrusted text. */
  readonly error: string | undefined
  readonly signInUrl: string
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
  /** Says more about the error: the `code` of `findErrorMessage`. */
  readonly providerError?: string | undefined
  /** Seconds until the user can try again, if known. */
  readonly retryAfterSeconds?: number | undefined
}

/** Explains what happened and offers a next step. Unknown errors get a general message and are never shown. */
export function renderErrorPage(content: ErrorContent, frame: PageFrame): string {
  const { error, signInUrl, reference, details, providerError, retryAfterSeconds } = content
  const t = createTranslator(frame)
  const message = findErrorMessage(error ?? "", providerError)
  const heading = errorHeading(message, t) ?? t.translate("general.heading")
  return renderDocument({
    title: heading,
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{heading}</h1>
        <p>{errorText(message, t, reference)}</p>
        {retryAfterSeconds !== undefined && <p>{waitText(retryAfterSeconds, t)}</p>}
        <NextSteps first={message.nextStep ?? "link.tryAgain"} signInUrl={signInUrl} siteUrl={frame.siteUrl} t={t} />
        <ErrorFooter reference={reference} details={details} t={t} />
      </>
    ),
  })
}

/** What the error page says in a sentence or two, for a form of the app. */
export function findSentence(
  { error, code }: { readonly error: string; readonly code?: string | undefined },
  frame: PageFrame,
  retryAfterSeconds?: number,
): string {
  const t = createTranslator(frame)
  // Its page has a form with this sentence.
  const message = error === "CodeWrong" ? ({ text: "code.wrong" } as const) : findErrorMessage(error, code)
  const sentence = errorSentence(message, t)
  return retryAfterSeconds === undefined ? sentence : `${sentence} ${waitText(retryAfterSeconds, t)}`
}

/** The response status of the error page: 200 unless the error has its own status. */
export function errorPageStatus(error: string | undefined): 200 | 403 | 404 | 500 {
  if (error === "Configuration") return 500
  if (error === "UnknownAction") return 404
  return error === "AccessDenied" || error === "Verification" ? 403 : 200
}

/** Rounds up to the displayed unit, so that a user who waits that long is not rejected again. */
function waitText(seconds: number, t: Translator): string {
  const unit = seconds > 2 * 60 * 60 ? 60 * 60 : seconds > 60 ? 60 : 1
  return t.translate("tooMany.wait", { duration: formatDuration(Math.ceil(seconds / unit) * unit, t.language) })
}

interface NextStepsProps {
  readonly first: NextStep
  readonly signInUrl: string
  readonly siteUrl: string
  readonly t: Translator
}

/** Links to the sign-in page and back to the site, the more useful one first. */
function NextSteps({ first, signInUrl, siteUrl, t }: NextStepsProps): JSX.Element {
  const back = t.translate("link.back")
  return first === "link.back" ? (
    <div class="next-steps">
      <LinkButton url={siteUrl} text={back} rank="primary" />
      <LinkButton url={signInUrl} text={t.translate("link.signIn")} rank="secondary" />
    </div>
  ) : (
    <div class="next-steps">
      <LinkButton url={signInUrl} text={t.translate(first)} rank="primary" />
      <LinkButton url={siteUrl} text={back} rank="secondary" />
    </div>
  )
}

export interface SignOutContent {
  readonly csrfToken: string | undefined
  /** The form's target. */
  readonly signoutUrl: string
  /** Where the user goes after signing out; already checked. */
  readonly callbackUrl: string
}

/** Asks for confirmation, so that a link or an image on another site cannot sign the user out. */
export function renderSignOutPage({ csrfToken, signoutUrl, callbackUrl }: SignOutContent, frame: PageFrame): string {
  const t = createTranslator(frame)
  return renderDocument({
    title: t.translate("signOut.title"),
    frame,
    t,
    children: (
      <>
        <h1 class="heading">{t.translate("signOut.heading")}</h1>
        <form class="form" action={signoutUrl} method="post">
          <HiddenFields csrfToken={csrfToken} callbackUrl={callbackUrl} />
          <SubmitButton text={t.translate("signOut.button")} isMain={true} />
        </form>
        <div class="next-steps">
          <LinkButton url={frame.siteUrl} text={t.translate("signOut.stay")} rank="secondary" />
        </div>
      </>
    ),
  })
}
