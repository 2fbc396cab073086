import type { JSX } from "preact"
import type { Situation } from "./situation.js"
import type { Speech } from "./speech.js"

/** The element id by which a field points to the message about it. */
export const noticeId = "notice"

export interface NoticeProps {
  readonly situation: Situation
  /** Names the provider that failed, where that is known. */
  readonly providerName?: string | undefined
  readonly speech: Speech
}

/** Says above the form what has happened. */
export function Notice({ situation, providerName, speech }: NoticeProps): JSX.Element {
  const heading = situationHeading(situation, speech, providerName)
  return (
    <div
      id={noticeId}
      class={situation.isHint ? "notice notice-hint" : "notice"}
      role={situation.isHint ? "status" : "alert"}
    >
      {heading !== undefined && <p class="notice-heading">{heading}</p>}
      <p>{speech.say(situation.text)}</p>
    </div>
  )
}

/** Undefined where the text says all. */
export function situationHeading(situation: Situation, speech: Speech, providerName?: string): string | undefined {
  if (situation.heading === undefined) return undefined
  if (situation.heading !== "provider.heading") return speech.say(situation.heading)
  return providerName === undefined
    ? speech.say("provider.headingUnnamed")
    : speech.say(situation.heading, { provider: providerName })
}
