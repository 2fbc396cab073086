import { renderDocument } from "./document.js"
import { HiddenFields } from "./hidden-fields.js"
import type { PageFrame } from "./page-frame.js"
import { createSpeech } from "./speech.js"
import { WayOnLink } from "./way-on-link.js"

export interface SignOutContent {
  readonly csrfToken: string | undefined
  /** Where the form goes. */
  readonly signoutUrl: string
  /** Where the visitor goes afterwards; already checked. */
  readonly callbackUrl: string
}

/** Asks before signing out, so that no foreign link or image can do it. */
export function renderSignOutPage({ csrfToken, signoutUrl, callbackUrl }: SignOutContent, frame: PageFrame): string {
  const speech = createSpeech(frame)
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
          <WayOnLink url={frame.siteUrl} text={speech.say("signOut.stay")} rank="second" />
        </div>
      </>
    ),
  })
}
