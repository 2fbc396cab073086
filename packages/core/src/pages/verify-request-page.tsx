import { formatDuration } from "../look/duration.js"
import { renderDocument } from "./document.js"
import type { PageFrame } from "./page-frame.js"
import { createSpeech, type Speech } from "./speech.js"
import { WayOnLink } from "./way-on-link.js"

export interface VerifyRequestContent {
  /** How long the link works, in seconds, where that is known. */
  readonly maxAgeSeconds?: number | undefined
  readonly signInUrl: string
}

/** Says that a mail is on its way. It looks the same whether or not the address has an account. */
export function renderVerifyRequestPage({ maxAgeSeconds, signInUrl }: VerifyRequestContent, frame: PageFrame): string {
  const speech = createSpeech(frame)
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
          <WayOnLink url={signInUrl} text={speech.say("verifyRequest.again")} rank="second" />
          <WayOnLink url={frame.siteUrl} text={speech.say("way.back")} rank="second" />
        </div>
      </>
    ),
  })
}

function sentText(maxAgeSeconds: number | undefined, speech: Speech): string {
  if (maxAgeSeconds === undefined) return speech.say("verifyRequest.sentOnce")
  return speech.say("verifyRequest.sent", { duration: formatDuration(maxAgeSeconds, speech.language) })
}
