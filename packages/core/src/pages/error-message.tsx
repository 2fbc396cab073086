import type { JSX } from "preact"
import type { DeveloperDetails } from "./document.js"
import type { MessageId, Translator } from "./messages.js"

/** The fields of a form to which a message belongs. */
type Concern = "email" | "credentials"

/** Where the main button of the error page leads, by its words. All but `way.back` lead to the sign-in page. */
export type WayOn = "way.tryAgain" | "way.otherWay" | "way.newLink" | "way.signIn" | "way.back"

/** What has happened, as the visitor is told. */
export interface ErrorMessage {
  readonly heading?: MessageId
  readonly text: MessageId
  readonly wayOn: WayOn
  readonly concern?: Concern
  /** Whether nothing went wrong and the visitor is only told why they are here. */
  readonly isHint?: boolean
}

const general: ErrorMessage = { heading: "general.heading", text: "general.text", wayOn: "way.tryAgain" }

const cancelled: ErrorMessage = { heading: "cancelled.heading", text: "cancelled.text", wayOn: "way.tryAgain" }

const providerFailed: ErrorMessage = { heading: "provider.heading", text: "provider.text", wayOn: "way.tryAgain" }

const notLinked: ErrorMessage = { heading: "notLinked.heading", text: "notLinked.text", wayOn: "way.otherWay" }

/** A map, not an object: the code comes from a query, and `constructor` must be as unknown as any other word. */
const errorMessages: ReadonlyMap<string, ErrorMessage> = new Map<string, ErrorMessage>([
  ["AccessDenied", { heading: "accessDenied.heading", text: "accessDenied.text", wayOn: "way.otherWay" }],
  ["AccountNotLinked", notLinked],
  ["Configuration", { heading: "configuration.heading", text: "configuration.text", wayOn: "way.back" }],
  ["CredentialsSignin", { text: "credentials.text", wayOn: "way.tryAgain", concern: "credentials" }],
  ["EmailSignin", { heading: "email.heading", text: "email.text", wayOn: "way.tryAgain", concern: "email" }],
  ["MissingCSRF", { heading: "staleForm.heading", text: "staleForm.text", wayOn: "way.tryAgain" }],
  ["OAuthAccountNotLinked", notLinked],
  ["OAuthCallbackError", cancelled],
  ["OAuthSignin", providerFailed],
  [
    "SessionRequired",
    { heading: "sessionRequired.heading", text: "sessionRequired.text", wayOn: "way.signIn", isHint: true },
  ],
  ["TooManyRequests", { heading: "tooMany.heading", text: "tooMany.text", wayOn: "way.tryAgain" }],
  ["Verification", { heading: "verification.heading", text: "verification.text", wayOn: "way.newLink" }],
  ["WebAuthnVerificationError", { heading: "passkey.heading", text: "passkey.text", wayOn: "way.tryAgain" }],
])

/**
 * What an `error` query means. Unknown codes get a general message, and their text is not part of it.
 * @param code The `code` query beside it. With `OAuthCallbackError` it is the provider's own error code, RFC 6749
 *   section
 * 4.1.2.1: none or `access_denied` means that the person refused, any other that the provider failed.
 */
export function findErrorMessage(error: string, code?: string): ErrorMessage {
  if (error === "OAuthCallbackError" && code !== undefined && code !== "access_denied") return providerFailed
  return errorMessages.get(error) ?? general
}

/** The element id by which a field points to the message about it. */
export const noticeId = "notice"

interface NoticeProps {
  readonly situation: ErrorMessage
  /** Names the provider that failed, where that is known. */
  readonly providerName?: string | undefined
  readonly speech: Translator
}

/** Says above the form what has happened. */
export function Notice({ situation, providerName, speech }: NoticeProps): JSX.Element {
  const heading = errorHeading(situation, speech, providerName)
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
export function errorHeading(situation: ErrorMessage, speech: Translator, providerName?: string): string | undefined {
  if (situation.heading === undefined) return undefined
  if (situation.heading !== "provider.heading") return speech.say(situation.heading)
  return providerName === undefined
    ? speech.say("provider.headingUnnamed")
    : speech.say(situation.heading, { provider: providerName })
}

interface ErrorFooterProps {
  /** By which the operator finds the failure in the log, such as `7F3K-Q2`. */
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
  readonly speech: Translator
}

/** What stands small below everything else when something failed. */
export function ErrorFooter({ reference, details, speech }: ErrorFooterProps): JSX.Element {
  return (
    <>
      {details && <DeveloperErrors details={details} speech={speech} />}
      {reference && <p class="reference">{speech.say("reference", { reference })}</p>}
    </>
  )
}

interface DeveloperErrorsProps {
  readonly details: DeveloperDetails
  readonly speech: Translator
}

function DeveloperErrors({ details, speech }: DeveloperErrorsProps): JSX.Element {
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
