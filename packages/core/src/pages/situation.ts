import type { WordId } from "./words.js"

/** The fields of a form to which a message belongs. */
export type Concern = "email" | "credentials"

/** Where the main button of the error page leads, by its words. All but `way.back` lead to the sign-in page. */
export type WayOn = "way.tryAgain" | "way.otherWay" | "way.newLink" | "way.signIn" | "way.back"

/** What has happened, as the visitor is told. */
export interface Situation {
  readonly heading?: WordId
  readonly text: WordId
  readonly wayOn: WayOn
  readonly concern?: Concern
  /** Whether nothing went wrong and the visitor is only told why they are here. */
  readonly isHint?: boolean
}

const general: Situation = { heading: "general.heading", text: "general.text", wayOn: "way.tryAgain" }

const cancelled: Situation = { heading: "cancelled.heading", text: "cancelled.text", wayOn: "way.tryAgain" }

const providerFailed: Situation = { heading: "provider.heading", text: "provider.text", wayOn: "way.tryAgain" }

const notLinked: Situation = { heading: "notLinked.heading", text: "notLinked.text", wayOn: "way.otherWay" }

/** A map, not an object: the code comes from a query, and `constructor` must be as unknown as any other word. */
const situations: ReadonlyMap<string, Situation> = new Map<string, Situation>([
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
export function findSituation(error: string, code?: string): Situation {
  if (error === "OAuthCallbackError" && code !== undefined && code !== "access_denied") return providerFailed
  return situations.get(error) ?? general
}
