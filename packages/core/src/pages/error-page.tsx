import type { JSX } from "preact"
import { formatDuration } from "../look/duration.js"
import { renderDocument } from "./document.js"
import { FinePrint } from "./fine-print.js"
import { situationHeading } from "./notice.js"
import type { DeveloperDetails, PageFrame } from "./page-frame.js"
import { findSituation, type WayOn } from "./situation.js"
import { createSpeech, type Speech } from "./speech.js"
import { WayOnLink } from "./way-on-link.js"

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
  const speech = createSpeech(frame)
  const situation = findSituation(error ?? "")
  const heading = situationHeading(situation, speech) ?? speech.say("general.heading")
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
        <FinePrint reference={reference} details={details} speech={speech} />
      </>
    ),
  })
}

/** Rounded up to what is said, so that who waited so long is not sent away again. */
function waitText(seconds: number, speech: Speech): string {
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
  readonly speech: Speech
}

function WaysOn({ first, signInUrl, siteUrl, speech }: WaysOnProps): JSX.Element {
  const isBackFirst = first === "way.back"
  const back = <WayOnLink url={siteUrl} text={speech.say("way.back")} rank={isBackFirst ? "first" : "second"} />
  const again = (
    <WayOnLink
      url={signInUrl}
      text={speech.say(isBackFirst ? "way.tryAgain" : first)}
      rank={isBackFirst ? "second" : "first"}
    />
  )
  return <div class="ways">{isBackFirst ? [back, again] : [again, back]}</div>
}
