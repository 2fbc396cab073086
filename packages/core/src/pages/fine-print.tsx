import type { JSX } from "preact"
import type { DeveloperDetails } from "./page-frame.js"
import type { Speech } from "./speech.js"

export interface FinePrintProps {
  /** By which the operator finds the failure in the log, such as `7F3K-Q2`. */
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
  readonly speech: Speech
}

/** What stands small below everything else when something failed. */
export function FinePrint({ reference, details, speech }: FinePrintProps): JSX.Element {
  return (
    <>
      {details && <DeveloperBox details={details} speech={speech} />}
      {reference && <p class="reference">{speech.say("reference", { reference })}</p>}
    </>
  )
}

interface DeveloperBoxProps {
  readonly details: DeveloperDetails
  readonly speech: Speech
}

function DeveloperBox({ details, speech }: DeveloperBoxProps): JSX.Element {
  return (
    <section class="developer" aria-labelledby="developer-heading">
      <h2 id="developer-heading" class="developer-heading">
        {speech.say("developer.heading")}
      </h2>
      <p class="developer-audience">{speech.say("developer.audience")}</p>
      <p class="developer-message">
        <code>{details.type}</code> {details.message}
      </p>
      {details.causes.length > 0 && (
        <ul class="developer-causes">
          {details.causes.map((cause) => (
            <li>{cause}</li>
          ))}
        </ul>
      )}
    </section>
  )
}
