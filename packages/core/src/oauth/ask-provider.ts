import { genericTokenEndpointRequest } from "oauth4webapi"
import { toError } from "../errors/auth-error.js"
import type { FailureReason } from "../errors/failure-reason.js"
import { customFetch } from "../types/basics.js"
import type { ResolvedOAuthProvider, ResolvedProvider } from "../types/resolved.js"
import { explain, findProviderReason } from "./advice.js"
import { asOAuthProvider, getClientAuthentication, toClient, toTextParameters } from "./client.js"
import { createProviderEndpoints } from "./endpoints.js"
import { ProviderError } from "./errors.js"
import { conform, parseTokenAnswer, toTokenCall } from "./token.js"

/** What a provider makes of this app. */
export interface ProviderVerdict {
  /** Undefined if the provider knows the client, or its answer says nothing about it. */
  readonly reason?: FailureReason
  /** The sentence of the log, with what to check. Empty without a reason. */
  readonly sentence: string
  /** The endpoint that was asked last. */
  readonly endpoint?: string
  readonly status?: number
  /** The error word of RFC 6749. */
  readonly error?: string
  /** What the provider adds to it, without secrets. */
  readonly description?: string
  /** Another value of `client.token_endpoint_auth_method` that the provider accepts. */
  readonly acceptedMethod?: string
  /** How far the provider's clock is ahead, in seconds. Undefined if it does not tell the time. */
  readonly aheadSeconds?: number
}

/** Made up, so that the provider refuses it after it has accepted the client. */
const code = "latchkey-doctor"
/** Of the least length, RFC 7636 section 4.1. */
const verifier = code.repeat(3)

/**
 * Asks an OAuth provider for its discovery document and, with a made-up code, its token endpoint. No one signs in by it.
 * @param redirectUri The callback URL of the provider.
 * @returns null for a provider of another type, or without client ID or secret
 */
export async function askProvider(given: ResolvedProvider, redirectUri: string): Promise<ProviderVerdict | null> {
  const found = asOAuthProvider(given)
  if (!found?.clientId) return null
  const { provider, readAhead } = withClock(found)
  const error = await redeem(provider, redirectUri)
  const reason = (error && findProviderReason(error)?.reason) ?? undefined
  const known: Partial<ProviderError> = error instanceof ProviderError ? error : {}
  const { endpoint, status, error: word, error_description: description } = known
  const aheadSeconds = readAhead()
  const facts = {
    ...(endpoint !== undefined && { endpoint }),
    ...(status !== undefined && { status }),
    ...(word !== undefined && { error: word }),
    ...(description !== undefined && { description }),
    ...(aheadSeconds !== undefined && { aheadSeconds }),
  }
  if (!error || isAboutCode({ endpoint, error: word })) return { sentence: "", ...facts }
  const acceptedMethod = endpoint === "token" ? await findAcceptedMethod(provider, redirectUri) : undefined
  return {
    ...facts,
    ...(reason !== undefined && { reason }),
    sentence: explain(error, { provider, redirectUri }),
    ...(acceptedMethod !== undefined && { acceptedMethod }),
  }
}

/** The provider with a `fetch` that reads the clock of each answer, and asks for the discovery document anew. */
function withClock(provider: ResolvedOAuthProvider): {
  readonly provider: ResolvedOAuthProvider
  readonly readAhead: () => number | undefined
} {
  let ahead: number | undefined
  const given = provider[customFetch] ?? fetch
  const reading: typeof fetch = async (input, init) => {
    const response = await given(input, init)
    const time = Date.parse(response.headers.get("date") ?? "")
    if (!Number.isNaN(time)) ahead = Math.round((time - Date.now()) / 1000)
    return response
  }
  return { provider: { ...provider, [customFetch]: reading }, readAhead: () => ahead }
}

/** Sends the made-up code. Returns what comes of it, as the callback of a sign-in would. */
async function redeem(provider: ResolvedOAuthProvider, redirectUri: string): Promise<Error | null> {
  try {
    const needed = provider.type === "oidc" ? (["token", "jwks"] as const) : (["token"] as const)
    const { metadata } = await createProviderEndpoints({}).resolve(provider, needed)
    const response = await genericTokenEndpointRequest(
      metadata,
      toClient(provider, Date.now),
      getClientAuthentication(provider),
      "authorization_code",
      { ...toTextParameters(provider.token.params), code, redirect_uri: redirectUri, code_verifier: verifier },
      toTokenCall(provider, new URLSearchParams({ code })),
    )
    await parseTokenAnswer(provider, await conform(provider, response), [provider.clientSecret])
    return null
  } catch (thrown) {
    return toError(thrown)
  }
}

/** Errors that come after the client was accepted, RFC 6749 section 5.2, and those that large providers send instead. */
const codeErrors: ReadonlySet<string | undefined> = new Set([
  "invalid_grant",
  "bad_verification_code",
  "invalid_code",
  "unauthorized_code",
])

function isAboutCode({ endpoint, error }: { endpoint?: string | undefined; error?: string | undefined }): boolean {
  return endpoint === "token" && codeErrors.has(error)
}

const methods = ["client_secret_basic", "client_secret_post"] as const

/** The other way to send the client secret, if the provider accepts that one. */
async function findAcceptedMethod(provider: ResolvedOAuthProvider, redirectUri: string): Promise<string | undefined> {
  const used = provider.client?.token_endpoint_auth_method ?? "client_secret_basic"
  if (!methods.some((method) => method === used)) return undefined
  for (const method of methods) {
    if (method === used) continue
    const other = { ...provider, client: { ...provider.client, token_endpoint_auth_method: method } }
    const error = await redeem(other, redirectUri)
    if (error === null || (error instanceof ProviderError && isAboutCode(error))) return method
  }
  return undefined
}
