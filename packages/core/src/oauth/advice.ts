import { type Because, because, type FailureReason } from "../errors/failure-reason.js"
import { findVariable } from "../runtime/environment.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { ProviderError } from "./errors.js"

/** A sign-in at a provider, as it was attempted. */
export interface Attempt {
  readonly provider: ResolvedOAuthProvider
  readonly redirectUri: string
}

/**
 * The message of a failed sign-in, for the log and the error page on a developer's machine: what the provider answered,
 * and what to check. Contains no secret, code or token.
 */
export function explain(error: Error, attempt: Attempt): string {
  const advice = error instanceof ProviderError ? findAdvice(error, attempt) : null
  return advice === null ? error.message : `${error.message}. ${advice}`
}

function findAdvice(error: ProviderError, attempt: Attempt): string | null {
  return (
    adviseOnAnswer(error, attempt) ??
    adviseOnToken(error, attempt) ??
    adviseOnFields(error, attempt) ??
    adviseOnEndpoint(error, attempt)
  )
}

/** Codes of RFC 6749 sections 4.1.2.1 and 5.2 and of RFC 9126, and those that large providers send instead. */
const answers: ReadonlyMap<string | undefined, (attempt: Attempt) => string> = new Map([
  ["invalid_client", adviseOnClient],
  ["unauthorized_client", adviseOnClient],
  ["incorrect_client_credentials", adviseOnClient],
  ["redirect_uri_mismatch", adviseOnRedirectUri],
  ["invalid_redirect_uri", adviseOnRedirectUri],
  // Sent for any wrong parameter. The redirect URI is the one that a new app most often gets wrong.
  ["invalid_request", adviseOnRedirectUri],
  ["invalid_grant", adviseOnCode],
  ["bad_verification_code", adviseOnCode],
  ["invalid_scope", ({ provider }) => `Check providers.${provider.id}.authorization.params.scope`],
])

/**
 * What to check after an error code that the provider answered; null if the code has no known cause.
 * @param error `error` of RFC 6749.
 */
export function adviseOnError(error: string, attempt: Attempt): string | null {
  return answers.get(error)?.(attempt) ?? null
}

function adviseOnAnswer({ error, endpoint, status }: ProviderError, attempt: Attempt): string | null {
  const known = answers.get(error)
  if (known) return known(attempt)
  const isAuthenticated = endpoint === "token" || endpoint === "pushed-authorization"
  return isAuthenticated && status === 401 ? adviseOnClient(attempt) : null
}

function adviseOnClient(attempt: Attempt): string {
  const { provider } = attempt
  const method = provider.client?.token_endpoint_auth_method ?? "client_secret_basic"
  const options = method === "private_key_jwt" ? "token.clientPrivateKey" : withVariable(provider, "clientSecret")
  const client = withVariable(provider, "clientId")
  const registered = adviseOnRedirectUri(attempt)
  return `Check providers.${provider.id}.${options} and ${client}, and whether the provider expects client.token_endpoint_auth_method "${method}". ${registered}`
}

function adviseOnRedirectUri({ redirectUri }: Attempt): string {
  return `Register exactly ${redirectUri} as redirect URI (callback URL) at the provider`
}

function adviseOnCode({ redirectUri }: Attempt): string {
  return `The code was used already, has expired, or belongs to another client or redirect URI. The redirect URI is ${redirectUri}`
}

/** Codes of tokens that are not valid at this time. */
const clockCodes: ReadonlySet<string> = new Set(["token-age", "OAUTH_JWT_TIMESTAMP_CHECK_FAILED"])

/** Codes of claims that are not those of this app. Their messages name the claim. */
const comparisonCodes: ReadonlySet<string> = new Set(["audience", "wrong-issuer", "OAUTH_JWT_CLAIM_COMPARISON_FAILED"])

function adviseOnToken({ code, message }: ProviderError, { provider }: Attempt): string | null {
  if (code === "no-id-token") {
    const path = `providers.${provider.id}`
    return `Add "openid" to ${path}.authorization.params.scope. If the provider has no ID tokens, use type "oauth"`
  }
  if (clockCodes.has(code)) {
    return `Check this server's clock. providers.${provider.id}.advanced.clockToleranceSeconds allows up to 60 seconds`
  }
  if (!comparisonCodes.has(code)) return null
  if (message.includes('"aud"')) return `Check providers.${provider.id}.${withVariable(provider, "clientId")}`
  if (message.includes('"iss"')) return `Check providers.${provider.id}.${withVariable(provider, "issuer")}`
  // Of the protocol library, for a nonce where none was sent: the error of `assertNonce` has another code.
  return message.includes('"nonce"') ? `No nonce was sent: add "nonce" to providers.${provider.id}.checks` : null
}

/** What the protocol library says about a field of a token response, which has no code of its own. */
const fieldMessage = /"response" body "(?:access_token|expires_in|id_token|refresh_token|scope|token_type)"/

/** The error of a token response with what to check, if it is about one of its fields. */
export function withFieldAdvice(error: Error, provider: ResolvedOAuthProvider): Error {
  if (!(error instanceof ProviderError)) return error
  const advice = adviseOnFields(error, { provider })
  return advice === null ? error : new ProviderError(`${error.message}. ${advice}`, error)
}

/** A field that is missing or of another form, such as `refresh_token: ""` or `expires_in: -1`. */
function adviseOnFields({ code, message }: ProviderError, { provider }: Pick<Attempt, "provider">): string | null {
  if (code !== "lifetime" && code !== "token-type" && !fieldMessage.test(message)) return null
  return `RFC 6749 section 5.1 has the fields of a token response. Repair this one in providers.${provider.id}.token.conform`
}

function adviseOnEndpoint({ endpoint, status }: ProviderError, { provider }: Attempt): string | null {
  const path = `providers.${provider.id}`
  if (endpoint === "discovery") return `Check ${path}.${withVariable(provider, "issuer")}`
  if (endpoint === "userinfo" && (status === 401 || status === 403)) {
    return `Check that ${path}.authorization.params.scope allows reading the profile`
  }
  return null
}

/** What the errors of RFC 6749 and of large providers say about. */
const reasonsOfErrors: ReadonlyMap<string | undefined, FailureReason> = new Map([
  ["invalid_client", "client-rejected"],
  ["unauthorized_client", "client-rejected"],
  ["incorrect_client_credentials", "client-rejected"],
  ["redirect_uri_mismatch", "redirect-uri-rejected"],
  ["invalid_redirect_uri", "redirect-uri-rejected"],
  ["invalid_grant", "code-rejected"],
  ["bad_verification_code", "code-rejected"],
  ["invalid_scope", "scope-rejected"],
])

const reasonsOfCodes: ReadonlyMap<string, FailureReason> = new Map([
  ["token-age", "token-clock"],
  ["OAUTH_JWT_TIMESTAMP_CHECK_FAILED", "token-clock"],
  ["audience", "token-audience"],
  ["authorized-party", "token-audience"],
  ["wrong-issuer", "token-issuer"],
  ["nonce", "nonce-wrong"],
  ["signature", "token-signature"],
  ["algorithm", "token-signature"],
  ["no-keys", "token-signature"],
  ["unreachable", "provider-unreachable"],
  ["timed-out", "provider-unreachable"],
])

/** Why a request to a provider, or its answer, failed. Null for an error of the app's own code. */
export function findProviderReason(error: Error): Because | null {
  if (!(error instanceof ProviderError)) return null
  const { endpoint, status, error: word } = error
  const isCode = word !== undefined && /^[\w.-]{1,64}$/.test(word)
  const facts = { ...(endpoint && { endpoint }), ...(status && { status }), ...(isCode && { error: word }) }
  return because(reasonsOfErrors.get(word) ?? findReasonOfCode(error), facts)
}

function findReasonOfCode({ code, message, endpoint, status }: ProviderError): FailureReason {
  const known = reasonsOfCodes.get(code)
  if (known) return known
  if (code === "OAUTH_JWT_CLAIM_COMPARISON_FAILED" && message.includes('"aud"')) return "token-audience"
  if (code === "OAUTH_JWT_CLAIM_COMPARISON_FAILED" && message.includes('"iss"')) return "token-issuer"
  if (code === "OAUTH_JWT_CLAIM_COMPARISON_FAILED" && message.includes('"nonce"')) return "nonce-wrong"
  if (endpoint === "token" && status === 401) return "client-rejected"
  return "provider-answer"
}

/** Of RFC 6749 section 4.1.2.1 and OpenID Connect Core section 3.1.2.6. */
const denials: ReadonlySet<string> = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_request",
  "login_required",
  "request_not_supported",
  "server_error",
  "temporarily_unavailable",
  "unsupported_response_type",
])

/**
 * Why a provider sent the visitor back with an error, RFC 6749 section 4.1.2.1. The visitor can write any text into the query,
 * so only known errors are facts.
 */
export function findDenial(error: string): Because {
  const isUser = error === "access_denied" || error.startsWith("user_cancelled")
  const isKnown = denials.has(error) || reasonsOfErrors.has(error)
  const reason = reasonsOfErrors.get(error) ?? (isUser ? "denied-by-user" : "denied-by-provider")
  return because(reason, isKnown ? { error } : {})
}

/** An option with the environment variable that sets it. */
function withVariable({ id }: ResolvedOAuthProvider, option: "clientId" | "clientSecret" | "issuer"): string {
  return `${option} (${findVariable(id, option)})`
}
