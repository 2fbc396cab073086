/** @jsxImportSource #markup */

import type { DeveloperDetails, MessageId, Translator } from "./document.js"
import type { JSX } from "./markup/jsx-runtime.js"

/** What the user is told about an error. */
export interface ErrorMessage {
  /** Without a heading the text says everything. */
  readonly heading?: MessageId
  readonly text: MessageId
  /** Default: to try again. */
  readonly nextStep?: NextStep
  /** The kind of form that the message is about, and stands in. */
  readonly form?: "email" | "fields"
  /** Whether what the visitor typed is right: the service or the mail server failed. */
  readonly isInputRight?: boolean
  /** Whether nothing failed and the message only explains why the user is here. */
  readonly isHint?: boolean
}

/** The text of the error page's main button. All but `link.back` lead to the sign-in page. */
export type NextStep = "link.tryAgain" | "link.otherWay" | "link.newLink" | "link.signIn" | "link.back"

/** What has a heading and a text under one name. */
type Subject = {
  [Id in MessageId]: Id extends `${infer Name}.heading` ? (`${Name}.text` extends MessageId ? Name : never) : never
}[MessageId]

function about(subject: Subject, more?: Omit<ErrorMessage, "heading" | "text">): ErrorMessage {
  return { heading: `${subject}.heading`, text: `${subject}.text`, ...more }
}

const providerFailed: ErrorMessage = about("provider")

const notLinked: ErrorMessage = about("notLinked", { nextStep: "link.otherWay" })

const codeSpent: ErrorMessage = { heading: "code.spentHeading", text: "code.spentText", nextStep: "link.newLink" }

/** In place of `SessionRequired` for a visitor who is signed in. */
export const reauthenticate = "reauthenticate"

/**
 * By error, or by error and code. A map, not an object: the key comes from a query, and `constructor` must be unknown like any
 * other text.
 */
const errorMessages: ReadonlyMap<string, ErrorMessage> = new Map<string, ErrorMessage>([
  ["AccessDenied", about("accessDenied", { nextStep: "link.otherWay" })],
  ["AccountNotLinked", notLinked],
  ["Configuration", about("configuration")],
  // Failures that a visitor's URL causes, or that concern one provider only.
  ["Configuration invalid-link", about("invalidLink", { nextStep: "link.signIn" })],
  ["Configuration stale-flow", about("staleFlow")],
  ["Configuration not-set-up", about("notSetUp", { nextStep: "link.otherWay" })],
  ["CredentialsSignin", { text: "credentials.text", form: "fields" }],
  ["EmailSignin", about("email", { form: "email" })],
  ["EmailSignin address", { text: "email.address", form: "email" }],
  ["EmailSignin service", { heading: "email.heading", text: "email.notSent", form: "email", isInputRight: true }],
  ["MissingCSRF", about("staleForm")],
  ["MissingCSRF foreign-origin", about("foreignForm", { nextStep: "link.back" })],
  ["OAuthAccountNotLinked", notLinked],
  ["OAuthCallbackError", about("canceled")],
  ["OAuthSignin", providerFailed],
  ["SessionRequired", about("sessionRequired", { nextStep: "link.signIn", isHint: true })],
  // A signed-in user must re-authenticate. No error of the service: see `renderSignInPage`.
  [reauthenticate, about("reauthenticate", { isHint: true })],
  ["TooManyRequests", about("tooMany")],
  ["Verification", about("verification", { nextStep: "link.newLink" })],
  ["Verification code", codeSpent],
  ["Verification guesses", { ...codeSpent, text: "code.guessesText" }],
  // The person who typed it knows the code: they may know what became of the link beside it.
  ["Verification used", { ...codeSpent, text: "code.usedText" }],
  ["UnknownAction", about("notFound", { nextStep: "link.back" })],
  ["WebAuthnVerificationError", { heading: "passkeyFailed.heading", text: "general.text" }],
])

/**
 * The message for an `error` query parameter. Unknown errors get a general message that does not repeat them.
 * @param code The `code` query parameter. With `OAuthCallbackError` it is the provider's error code, RFC 6749 section
 *   4.1.2.1: if it is `access_denied` or missing, the user canceled; otherwise the provider failed. With `EmailSignin` it
 *   is `address` if the address cannot be used, or `service` if the mail could not be sent. With `MissingCSRF` it may be
 *   `foreign-origin`: another attempt would fail, too. With `Configuration` it may be `invalid-link`, `stale-flow` or
 *   `not-set-up`, if the service itself works. With `Verification` it is `code`, `guesses` or `used` if a code, not a
 *   link, no longer works.
 */
export function findErrorMessage(error: string, code?: string): ErrorMessage {
  if (error === "OAuthCallbackError" && code !== undefined && code !== "access_denied") return providerFailed
  return errorMessages.get(`${error} ${code}`) ?? errorMessages.get(error) ?? about("general")
}

/**
 * The translated heading; undefined if the message has none.
 * @param providerName The provider that failed, if known.
 */
export function errorHeading({ heading }: ErrorMessage, t: Translator, providerName?: string): string | undefined {
  if (heading === undefined) return undefined
  if (heading !== "provider.heading") return t.translate(heading)
  return providerName === undefined
    ? t.translate("provider.headingUnnamed")
    : t.translate(heading, { provider: providerName })
}

/** Whose text needs its heading, or a page around it. */
const saidByHeading: ReadonlySet<MessageId> = new Set<MessageId>([
  "canceled.text",
  "code.guessesText",
  "code.spentText",
  "code.usedText",
  "configuration.text",
  "email.notSent",
  "foreignForm.text",
  "general.text",
  "notSetUp.text",
  "staleFlow.text",
  "staleForm.text",
  "verification.text",
])

/** The message in a sentence or two, for a form of the app. */
export function errorSentence(message: ErrorMessage, t: Translator): string {
  const heading = saidByHeading.has(message.text) ? errorHeading(message, t) : undefined
  return heading ?? t.translate(message.text)
}

/** What is said in place of a text that points to the reference, on a page that shows none. */
const withoutReference: ReadonlyMap<MessageId, MessageId> = new Map<MessageId, MessageId>([
  ["configuration.text", "email.notSent"],
  ["notSetUp.text", "general.text"],
])

/** The translated text. Someone who opens the address of an error by hand has no reference. */
export function errorText({ text }: ErrorMessage, t: Translator, reference: string | undefined): string {
  return t.translate((reference ? undefined : withoutReference.get(text)) ?? text)
}

/** The id of the notice, for the `aria-describedby` of the fields that it is about. */
export const noticeId = "notice"

interface NoticeProps {
  readonly message: ErrorMessage
  /** See `errorHeading`. */
  readonly heading: string | undefined
  readonly reference: string | undefined
  readonly t: Translator
}

/** The error message on the sign-in page: in the form that failed, or above all forms. */
export function Notice({ message, heading, reference, t }: NoticeProps): JSX.Element {
  return (
    <div
      id={noticeId}
      class={message.isHint ? "notice notice-hint" : "notice"}
      role={message.isHint ? "status" : "alert"}
    >
      {heading !== undefined && <p class="notice-heading">{heading}</p>}
      <p>{errorText(message, t, reference)}</p>
    </div>
  )
}

interface ErrorFooterProps {
  /** Reference ID of the failure in the log, such as `7F3K-Q2`. */
  readonly reference?: string | undefined
  readonly details?: DeveloperDetails | undefined
  readonly t: Translator
}

/** Details for the developer and the reference ID, below everything else on the page. */
export function ErrorFooter({ reference, details, t }: ErrorFooterProps): JSX.Element {
  return (
    <>
      {details && <DeveloperSection details={details} t={t} />}
      {reference && <p class="reference">{t.translate("reference", { reference })}</p>}
    </>
  )
}

interface DeveloperSectionProps {
  readonly details: DeveloperDetails
  readonly t: Translator
}

function DeveloperSection({ details, t }: DeveloperSectionProps): JSX.Element {
  return (
    <section class="developer" aria-labelledby="developer-heading">
      <h2 id="developer-heading">{t.translate("developer.heading")}</h2>
      <p class="quiet">{t.translate("developer.audience")}</p>
      {[details.story, details].map(
        (note) =>
          note && (
            <div lang="en" dir="ltr">
              <p>
                <code>{note.type}</code> {note.message}
              </p>
              {note.causes.length > 0 && (
                <ul>
                  {note.causes.map((cause) => (
                    <li>{cause}</li>
                  ))}
                </ul>
              )}
            </div>
          ),
      )}
    </section>
  )
}
