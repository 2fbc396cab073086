import type { PasswordFault } from "@latchkey/types"
import { readJson, readString } from "../protocol.js"
import { AuthClientError, type Service } from "../service.js"
import type { PasskeyErrorCode } from "../webauthn/passkey-error.js"

/**
 * Why an action failed. No others are added in a minor version.
 *
 * - `wrong-credentials`: the password is wrong, or there is no such account. The service does not tell which.
 * - `wrong-code`: the code is wrong or was used before. There are guesses left.
 * - `expired`: the code or the sign-in is too old, was used, or was tried too often. Ask for another email, or begin again.
 * - `invalid-email`: no email can be sent to the address.
 * - `mail-not-sent`: the service could not send the email.
 * - `password-refused`: the new password cannot be used. `reason` says why.
 * - `field-refused`: a field that the app has added is wrong. `field` names it.
 * - `terms-required`: the visitor has not agreed to the terms.
 * - `too-many-requests`: try again after `retryAfterSeconds`.
 * - `access-denied`: the app does not let this user in.
 * - `account-not-linked`: the user has to sign in as before.
 * - `passkey-failed`: the passkey did not work. `reason` says why, such as `cancelled`.
 * - `network`: the service could not be reached.
 * - `unavailable`: the service failed, or the answer is not from the service: check the base path.
 */
export type FlowErrorCode =
  | "wrong-credentials"
  | "wrong-code"
  | "expired"
  | "invalid-email"
  | "mail-not-sent"
  | "password-refused"
  | "field-refused"
  | "terms-required"
  | "too-many-requests"
  | "access-denied"
  | "account-not-linked"
  | "passkey-failed"
  | "network"
  | "unavailable"

/** What went wrong, with a sentence for the user. */
export interface FlowError {
  readonly code: FlowErrorCode
  /**
   * A sentence for the user: that of the service, in the language of its pages, or the one of the option `messages`. English
   * if the service could not be asked.
   */
  readonly message: string
  /** The name of the field that is wrong, such as `password`. */
  readonly field: string | undefined
  /** With `password-refused` and `passkey-failed`: why. With `wrong-credentials`: the `code` of the app's error. */
  readonly reason: PasswordFault | PasskeyErrorCode | (string & {}) | undefined
  /** With `too-many-requests`. */
  readonly retryAfterSeconds: number | undefined
  /** The reference ID of the service's log entry. */
  readonly reference: string | undefined
}

/** Sentences of the app in place of those of the service. */
export type FlowMessages = { readonly [Code in FlowErrorCode]?: string | undefined }

/** The service refused, or failed. */
export class FlowFailure extends Error {
  /** The type of the service's error, such as `CodeWrong`, or a code of ours. */
  readonly type: string
  readonly details: FailureDetails
  /** Where the flow goes on. Undefined: at the same step. Only a flow reads it, and its own ones alone. */
  readonly view: unknown

  constructor(type: string, details: FailureDetails = {}, view?: unknown) {
    super(type)
    this.type = type
    this.details = details
    this.view = view
  }
}

/** What is known about a failure. */
type FailureDetails = { readonly [Name in Exclude<keyof FlowError, "code">]?: FlowError[Name] | undefined } & {
  /** The sentence if the service has none. */
  readonly fallback?: string
}

/** What the service calls a passkey that does not work. */
const passkey = "WebAuthnVerificationError"

const codes: Readonly<Record<string, FlowErrorCode>> = {
  AccessDenied: "access-denied",
  AccountNotLinked: "account-not-linked",
  CodeSpent: "expired",
  CodeWrong: "wrong-code",
  CredentialsSignin: "wrong-credentials",
  HeldExpired: "expired",
  OAuthAccountNotLinked: "account-not-linked",
  PasswordRefused: "password-refused",
  SecondFactorWrong: "wrong-code",
  TooManyRequests: "too-many-requests",
  Verification: "expired",
  WebAuthnVerificationError: "passkey-failed",
  network: "network",
}

function toCode(type: string, { field, reason }: FailureDetails): FlowErrorCode {
  if (type === "EmailSignin" || type === "EmailSignInError") {
    return field === "email" || reason === "address" ? "invalid-email" : "mail-not-sent"
  }
  if (type === "InvalidRequest" && reason === "field") return "field-refused"
  if (type === "InvalidRequest" && reason === "terms") return "terms-required"
  return (Object.hasOwn(codes, type) && codes[type]) || "unavailable"
}

/** What a response says about a failure. */
export function readFailure(response: Response, content: unknown): FlowFailure {
  const type = readString(content, "error") ?? "unavailable"
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new FlowFailure(type, {
    message: readString(content, "message"),
    field: readString(content, "field"),
    reason: readString(content, "code"),
    reference: readString(content, "reference"),
    retryAfterSeconds: retryAfter >= 0 ? retryAfter : undefined,
  })
}

/** Null for anything but a failure of a request, such as a mistake in the code. */
export function toFailure(thrown: unknown): FlowFailure | null {
  if (thrown instanceof FlowFailure) return thrown
  if (thrown instanceof AuthClientError) return new FlowFailure(thrown.code)
  // By its name: the code for passkeys is loaded when one is used.
  if (!(thrown instanceof Error) || thrown.name !== "PasskeyError") return null
  const reason = readString(thrown, "code")
  return reason === "network" ? new FlowFailure(reason) : new FlowFailure(passkey, { reason, fallback: thrown.message })
}

/** The error of a failure, with a sentence. */
export async function toFlowError(
  failure: FlowFailure,
  messages: FlowMessages | undefined,
  service: Service,
): Promise<FlowError> {
  const { type } = failure
  const details = failure.details.message === undefined ? await explain(failure, service) : failure.details
  const { field, reason, retryAfterSeconds, reference } = details
  const code = toCode(type, details)
  const message = messages?.[code] ?? details.message ?? details.fallback ?? fallbacks[code] ?? fallback
  return { code, message, field, reason, retryAfterSeconds, reference }
}

const fallbacks: FlowMessages = { network: "Could not reach the site. Check your connection and try again." }
const fallback = "That did not work. Try again in a moment."

/** `GET error`: what the service says about an error that a redirect has named. */
async function explain({ type, details }: FlowFailure, service: Service): Promise<FailureDetails> {
  if (type === "network" || type === "unavailable") return details
  const { reason } = details
  try {
    const query = { error: type, ...(reason !== undefined && { code: reason }) }
    const content = await readJson(await service.request(service.address("error", undefined, query)))
    const [message, code, reference] = ["message", "code", "reference"].map((name) => readString(content, name))
    return { ...details, message, reason: reason ?? code, reference }
  } catch {
    // The error that it would explain counts.
    return details
  }
}
