import type { JSX } from "preact"
import { formatDuration } from "../theme/duration.js"
import { type DeveloperDetails, LinkButton, type PageFrame, renderDocument } from "./document.js"
import { ErrorFooter, errorHeading, findErrorMessage, type WayOn } from "./error-message.js"
import { HiddenFields } from "./form.js"
import { createTranslator, type Translator } from "./messages.js"

export interface ErrorContent {
  /** The `error` of the query: untrusted text. */
  readonly error: string | undefined
  readonly signInUrl: string
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
  /** How long to wait, where that is known. */
  readonly retryAfterSeconds?: number | undefined
}

/** Says what happened and offers a way on. An unknown code is answered in general words and never shown. */
export function renderErrorPage(content: ErrorContent, frame: PageFrame): string {
  const { error, signInUrl, reference, details, retryAfterSeconds } = content
  const speech = createTranslator(frame)
  const situation = findErrorMessage(error ?? "")
  const heading = errorHeading(situation, speech) ?? speech.say("general.heading")
  return renderDocument({
    title: heading,
    frame,
    speech,
    children: (
      <>
        <h1 class="heading">{heading}</h1>
        <p>{speech.say(situation.text)}</p>
        {retryAfterSeconds !== undefined && <p>{waitText(retryAfterSeconds, speech)}</p>}
        <WaysOn first={situation.wayOn} signInUrl={signInUrl} siteUrl={frame.siteUrl} speech={speech} />
        <ErrorFooter reference={reference} details={details} speech={speech} />
      </>
    ),
  })
}

/** Rounded up to what is said, so that who waited so long is not sent away again. */
function waitText(seconds: number, speech: Translator): string {
  const unit = seconds > 2 * 60 * 60 ? 60 * 60 : seconds > 60 ? 60 : 1
  return speech.say("tooMany.wait", { duration: formatDuration(Math.ceil(seconds / unit) * unit, speech.language) })
}

/** The status that goes with the page: 200 unless the error is one that names its own. */
export function errorPageStatus(error: string | undefined): 200 | 403 | 500 {
  if (error === "Configuration") return 500
  return error === "AccessDenied" || error === "Verification" ? 403 : 200
}

interface WaysOnProps {
  readonly first: WayOn
  readonly signInUrl: string
  readonly siteUrl: string
  readonly speech: Translator
}

function WaysOn({ first, signInUrl, siteUrl, speech }: WaysOnProps): JSX.Element {
  const isBackFirst = first === "way.back"
  const back = <LinkButton url={siteUrl} text={speech.say("way.back")} rank={isBackFirst ? "first" : "second"} />
  const again = (
    <LinkButton
      url={signInUrl}
      text={speech.say(isBackFirst ? "way.tryAgain" : first)}
      rank={isBackFirst ? "second" : "first"}
    />
  )
  return <div class="ways">{isBackFirst ? [back, again] : [again, back]}</div>
}

export interface SignOutContent {
  readonly csrfToken: string | undefined
  /** Where the form goes. */
  readonly signoutUrl: string
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
}

/** Asks before signing out, so that no foreign link or image can do it. */
export function renderSignOutPage({ csrfToken, signoutUrl, callbackUrl }: SignOutContent, frame: PageFrame): string {
  const speech = createTranslator(frame)
  return renderDocument({
    title: speech.say("signOut.title"),
    frame,
    speech,
    children: (
      <>
        <h1 class="heading">{speech.say("signOut.heading")}</h1>
        <form class="form" action={signoutUrl} method="post">
          <HiddenFields csrfToken={csrfToken} callbackUrl={callbackUrl} />
          <button type="submit" class="button button-primary">
            <span class="button-text">{speech.say("signOut.button")}</span>
          </button>
        </form>
        <div class="ways">
          <LinkButton url={frame.siteUrl} text={speech.say("signOut.stay")} rank="second" />
        </div>
      </>
    ),
  })
}

export interface VerifyRequestContent {
  /** How long the link works, in seconds, where that is known. */
  readonly maxAgeSeconds?: number | undefined
  readonly signInUrl: string
}

/** Says that a mail is on its way. It looks the same whether or not the address has an account. */
export function renderVerifyRequestPage({ maxAgeSeconds, signInUrl }: VerifyRequestContent, frame: PageFrame): string {
  const speech = createTranslator(frame)
  return renderDocument({
    title: speech.say("verifyRequest.heading"),
    frame,
    speech,
    children: (
      <>
        <h1 class="heading">{speech.say("verifyRequest.heading")}</h1>
        <p>{sentText(maxAgeSeconds, speech)}</p>
        <p class="quiet">{speech.say("verifyRequest.missing")}</p>
        <div class="ways">
          <LinkButton url={signInUrl} text={speech.say("verifyRequest.again")} rank="second" />
          <LinkButton url={frame.siteUrl} text={speech.say("way.back")} rank="second" />
        </div>
      </>
    ),
  })
}

function sentText(maxAgeSeconds: number | undefined, speech: Translator): string {
  if (maxAgeSeconds === undefined) return speech.say("verifyRequest.sentOnce")
  return speech.say("verifyRequest.sent", { duration: formatDuration(maxAgeSeconds, speech.language) })
}
