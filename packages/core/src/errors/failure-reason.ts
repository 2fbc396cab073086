import type { AuthError, AuthErrorType } from "./auth-error.js"

/**
 * Why something failed, more exactly than the type of its error: what an operator has to know to mend it. `logger.record`
 * gets it, and the console prints it in a line that begins with `[cause]`.
 * - `flow-…`, `state-…`, `pkce-missing`, `nonce-wrong`: the answer of a provider does not belong to a sign-in of this browser
 * - `denied-…`, `…-rejected`, `token-…`, `provider-…`, `profile-invalid`: what the provider answered
 * - `form-…`: a form without its token, or from another site
 * - `session-…`: a session that could not be read or written
 * - `link-…`, `code-guesses`: what was mailed
 * - `host-…`: the address that the request was sent to
 *
 * The last ones, from `access-refused` on, say no more than the type of an error, and the message says the rest. A record has
 * one only if the type has another: `latchkey explain` and the error page find them by that type.
 */
export type FailureReason =
  | "flow-other-host"
  | "flow-expired"
  | "flow-replaced"
  | "flow-completed"
  | "flow-cookies-missing"
  | "flow-other-browser"
  | "flow-other-client"
  | "state-missing"
  | "state-repeated"
  | "state-altered"
  | "state-other-secret"
  | "pkce-missing"
  | "nonce-wrong"
  | "denied-by-user"
  | "denied-by-provider"
  | "client-rejected"
  | "code-rejected"
  | "redirect-uri-rejected"
  | "scope-rejected"
  | "token-clock"
  | "token-audience"
  | "token-issuer"
  | "token-signature"
  | "provider-unreachable"
  | "provider-answer"
  | "profile-invalid"
  | "form-token-missing"
  | "form-token-foreign"
  | "form-other-origin"
  | "session-other-secret"
  | "session-altered"
  | "session-expired"
  | "session-too-large"
  | "link-spent"
  | "link-expired"
  | "link-replaced"
  | "code-guesses"
  | "account-of-another-user"
  | "address-unverified"
  | "sign-in-callback-refused"
  | "host-untrusted"
  | "host-not-listed"
  | "rate-limited"
  | "passkey-handle"
  | "passkey-origin"
  | "passkey-counter"
  | "adapter-failed"
  | "callback-threw"
  | "mail-rejected"
  | "mail-unreachable"
  | "access-refused"
  | "access-token-unavailable"
  | "address-invalid"
  | "config-invalid"
  | "credentials-wrong"
  | "input-refused"
  | "logout-token-invalid"
  | "passkey-invalid"
  | "provider-unknown"
  | "reauthentication-needed"
  | "request-invalid"
  | "second-factor-wrong"
  | "second-step-expired"
  | "unexpected"

/**
 * What belongs to a reason: numbers, booleans, hosts, names of cookies and options, HTTP statuses, and the `error` of a
 * provider. Never a secret, a token, an address, or a text that a visitor typed.
 */
export type FailureFacts = Readonly<Record<string, string | number | boolean>>

/** The reason in the cause of an error. */
export type Because = {
  readonly reason: FailureReason
  readonly facts: FailureFacts
}

/** The facts that are ours. The app's errors may have a cause with the same names, and with anything in it. */
const own = new WeakSet<object>()

/** The part of an error's cause that says why. */
export function because(reason: FailureReason, facts: FailureFacts = {}): Because {
  const given = { ...facts }
  own.add(given)
  return { reason, facts: given }
}

/** The cause of a failure of a function of the app. @param callback Its name, as its option has it. */
export function threwIn(callback: string, err: Error): Because & { readonly err: Error } {
  return { err, ...because("callback-threw", { callback }) }
}

/** The facts of a cause; null unless they are ours. */
export function readFacts({ facts }: Readonly<Record<string, unknown>>): FailureFacts | null {
  // as: `because` made them.
  return typeof facts === "object" && facts !== null && own.has(facts) ? (facts as FailureFacts) : null
}

/** The reason of errors whose type says enough, although they may be the cause of others. */
const reasonsOfTypes: Partial<Readonly<Record<AuthErrorType, FailureReason>>> = {
  AccountNotLinked: "account-of-another-user",
  AdapterError: "adapter-failed",
  EventError: "callback-threw",
  OAuthAccountNotLinked: "account-of-another-user",
  OAuthProfileParseError: "profile-invalid",
  TooManyRequests: "rate-limited",
  UntrustedHost: "host-untrusted",
}

const maxCauses = 5

/** The innermost reason of an error, since a store or a provider that failed is the cause of what failed then. */
export function findReason(error: AuthError): Because | null {
  let found: Because | null = null
  let current: unknown = error
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth++) {
    const cause: Readonly<Record<string, unknown>> = Object(current.cause)
    found = readReason(cause) ?? findOfType(current) ?? found
    current = cause instanceof Error ? cause : cause["err"]
  }
  return found
}

function readReason(cause: Readonly<Record<string, unknown>>): Because | null {
  const facts = readFacts(cause)
  // as: stands beside our facts.
  return facts && { reason: cause["reason"] as FailureReason, facts }
}

function findOfType(error: Error): Because | null {
  // as: another text has no entry. A subclass of the app has the type that its author chose.
  const reason = "type" in error ? reasonsOfTypes[error.type as AuthErrorType] : undefined
  return reason ? { reason, facts: {} } : null
}

/**
 * Why a sign-in ended on an error page with `Configuration`, although the service works:
 * - `stale-flow`: it took too long, began in another browser, or was completed before
 * - `invalid-link`: the link is wrong, for example because it names an unknown provider
 * - `not-set-up`: the provider that the visitor chose lacks an option
 */
export type ErrorReason = "stale-flow" | "invalid-link" | "not-set-up"

const reasons: readonly string[] = ["stale-flow", "invalid-link", "not-set-up"] satisfies readonly ErrorReason[]

/** The reference cookie, as `actions/reference.ts` writes it. */
const cookie = /(?:^|;) *(?:__Secure-)?authjs\.error-reference=([^;]+)/
const content = /^[0-9A-Z]{4}-[0-9A-Z]{2}:([A-Za-z]+):[\w.~-]*:([\w.~-]*)$/

/**
 * Tells an error page of your own, on the server, whether the visitor can simply sign in again. Null if the service may be
 * misconfigured, and for any other error. A visitor can forge it: show a sentence, and decide nothing by it.
 * @param headers The headers of the request for the page.
 * @param error The `error` in its query.
 * @example findErrorReason(request.headers, url.searchParams.get("error")) === "stale-flow"
 */
export function findErrorReason(headers: Pick<Headers, "get">, error: string | null | undefined): ErrorReason | null {
  const [, value = ""] = cookie.exec(headers.get("cookie") ?? "") ?? []
  const [, shown, detail = ""] = content.exec(value.replaceAll(/%3A/gi, ":")) ?? []
  // as: one of the list.
  return error === "Configuration" && shown === error && reasons.includes(detail) ? (detail as ErrorReason) : null
}
