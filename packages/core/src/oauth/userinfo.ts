import {
  type Client,
  type IDToken,
  processUserInfoResponse,
  protectedResourceRequest,
  userInfoRequest,
} from "oauth4webapi"
import type { TokenSet } from "../contract/account.js"
import type { Profile } from "../contract/profile.js"
import { isObject, type JsonAnswer, parseJsonAnswer } from "./json-object.js"
import { toLogCode } from "./log-text.js"
import type { ProviderContext } from "./provider-context.js"
import { ProviderError } from "./provider-error.js"
import { createProviderFetch, toCallOptions } from "./provider-fetch.js"
import type { Redemption } from "./redeem-code.js"
import { parseSignedToken } from "./signed-token.js"
import { toTextParameters } from "./text-parameters.js"
import { verifyJwt } from "./verify-jwt.js"
import { verifySignature } from "./verify-signature.js"

/**
 * Who signed in: the claims of the ID token, or the answer of the userinfo endpoint (OpenID Connect Core 1.0 section
 * 5.3) or of the provider's own request. With an ID token, the subject is the same in both.
 * @throws ProviderError, an error of the protocol library, or what the provider's own request throws.
 */
export async function findProfile({ claims, tokens }: Redemption, context: ProfileContext): Promise<Profile> {
  const { provider } = context
  if (claims && provider.idToken) return { ...claims }
  if (provider.userinfo.request) return requestOwnProfile(tokens, claims, context)
  const accessToken = String(tokens.access_token)
  if (claims) return requestClaims({ subject: claims.sub, accessToken }, context)
  return requestProfile(accessToken, context)
}

export interface ProfileContext extends ProviderContext {
  readonly client: Client
  /** Validated parameters of the authorization response. */
  readonly callback: URLSearchParams
}

async function requestOwnProfile(
  tokens: TokenSet,
  claims: IDToken | undefined,
  context: ProfileContext,
): Promise<Profile> {
  const { provider, server, callback } = context
  const profile: unknown = await provider.userinfo.request?.({
    tokens,
    url: server.metadata.userinfo_endpoint === undefined ? undefined : getUrl(context),
    callback: new URLSearchParams(callback),
    provider: { ...provider, fetch: createProviderFetch(provider, "userinfo") },
    verifyJwt: (token) => verifyJwt(token, context),
  })
  if (!isObject(profile)) throw refusal("no-profile", "userinfo.request returned no object")
  if (claims && profile["sub"] !== claims.sub) throw refusal("other-subject", "The profile is of another subject")
  return profile
}

interface ClaimsRequest {
  readonly subject: string
  readonly accessToken: string
}

async function requestClaims({ subject, accessToken }: ClaimsRequest, context: ProfileContext): Promise<Profile> {
  const { provider, server, client } = context
  const metadata = { ...server.metadata, userinfo_endpoint: getUrl(context).href }
  const call = toCallOptions(createProviderFetch(provider, "userinfo"))
  const response = await userInfoRequest(metadata, client, accessToken, call)
  const isSigned = response.headers.get("content-type")?.split(";")[0] === "application/jwt"
  const token = isSigned ? parseSignedToken(await response.clone().text()) : null
  const claims = await processUserInfoResponse(metadata, client, subject, response)
  if (token) await verifySignature(token, context)
  return { ...claims }
}

async function requestProfile(accessToken: string, context: ProviderContext): Promise<Profile> {
  const { headers, ...call } = toCallOptions(createProviderFetch(context.provider, "userinfo"))
  const sent = new Headers({ ...headers, accept: "application/json" })
  const response = await protectedResourceRequest(accessToken, "GET", getUrl(context), sent, null, call)
  const profile = await parseJsonAnswer(response, "userinfo")
  assertNoError(profile)
  return profile
}

function getUrl({ provider, server }: ProviderContext): URL {
  const { userinfo_endpoint } = server.metadata
  if (userinfo_endpoint === undefined) throw refusal("no-endpoints", "The provider has no userinfo endpoint")
  const url = new URL(userinfo_endpoint)
  for (const [name, value] of Object.entries(toTextParameters(provider.userinfo.params)))
    url.searchParams.set(name, value)
  return url
}

/** Some providers report errors with status 200. */
function assertNoError({ error }: JsonAnswer): void {
  if (error === undefined || error === null || error === false || error === "") return
  throw new ProviderError("The userinfo endpoint answered an error", {
    code: "userinfo-error",
    endpoint: "userinfo",
    status: 200,
    error: typeof error === "string" ? toLogCode(error) : undefined,
  })
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code, endpoint: "userinfo" })
}
