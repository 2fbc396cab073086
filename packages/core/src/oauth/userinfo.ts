import type { User } from "@latchkey/types"
import {
  type Client,
  type IDToken,
  processUserInfoResponse,
  protectedResourceRequest,
  skipSubjectCheck,
  userInfoRequest,
} from "oauth4webapi"
import { randomUUID } from "../crypto/random.js"
import { OAuthProfileParseError } from "../errors/errors.js"
import { toNormalAddress } from "../host/email-address.js"
import { cleanError } from "../host/redact.js"
import { toIdText } from "../runtime/id.js"
import { withFields } from "../runtime/instance.js"
import { isRecord, parseJson } from "../runtime/json.js"
import { dropPrototypes } from "../runtime/merge.js"
import { andThen, isPromiseLike } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { UserinfoRequestContext } from "../types/oauth-provider.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { Account, Profile, TokenSet } from "../types/user.js"
import { isIncomplete, mergeClaims, withoutSignInClaims } from "./claims.js"
import { toTextParameters } from "./client.js"
import type { ProviderContext } from "./endpoints.js"
import { createAnswerError, ProviderError, refusalsOf, toSafeError } from "./errors.js"
import { createProviderFetch, type JsonAnswer, parseJsonAnswer, toCallOptions } from "./fetch.js"
import { toExpectedServer } from "./id-token.js"
import { parseSignedToken, verifySignature } from "./jws.js"
import type { Redemption } from "./token.js"

/**
 * The profile of the user: from the ID token, the userinfo endpoint (OpenID Connect Core 1.0 section 5.3), or the
 * provider's `userinfo.request` hook. If there is an ID token, the profile must have the same subject, and each fills in
 * what the other lacks; the endpoint is only asked for a profile from the ID token if that is incomplete.
 * @throws ProviderError, an error of the protocol library, or what the hook throws
 */
export function findProfile(redemption: Redemption, context: ProfileContext): Awaitable<Profile> {
  const { claims, tokens } = redemption
  const isInToken = claims && context.provider.idToken
  const reading = isInToken ? completeClaims(claims, tokens, context) : readProfile(redemption, context)
  // Callbacks of the app may merge it into other objects.
  return andThen(reading, dropPrototypes)
}

async function readProfile({ claims, tokens }: Redemption, context: ProfileContext): Promise<Profile> {
  const { provider } = context
  if (provider.userinfo.request) {
    const profile = await callUserinfoHook(tokens, claims, context)
    return claims ? mergeClaims(withoutSignInClaims(profile), claims) : profile
  }
  const accessToken = String(tokens.access_token)
  if (!claims) return requestProfile(accessToken, context)
  return mergeClaims(await requestClaims({ subject: claims.sub, accessToken }, context), claims)
}

/** The claims of the ID token, with those that only the userinfo endpoint has. */
function completeClaims(claims: IDToken, tokens: TokenSet, context: ProfileContext): Awaitable<Profile> {
  const { provider, server } = context
  const isAsking = server.metadata.userinfo_endpoint !== undefined && isIncomplete(claims, provider, tokens)
  return isAsking ? askForClaims(claims, tokens, context) : { ...claims }
}

async function askForClaims(claims: IDToken, tokens: TokenSet, context: ProfileContext): Promise<Profile> {
  const { provider, endpoints } = context
  try {
    const accessToken = String(tokens.access_token)
    return mergeClaims(claims, await requestClaims({ subject: claims.sub, accessToken }, context))
  } catch (error) {
    const err = toSafeError(error)
    // Someone else's profile refuses the sign-in. An endpoint that is away does not: the ID token identifies the user.
    if (isSubjectMismatch(err)) throw error
    endpoints.log?.debug("userinfo endpoint not read", () => ({ provider: provider.id, reason: err.message }))
    return { ...claims }
  }
}

/** The protocol library compares the subjects. */
function isSubjectMismatch(error: Error): boolean {
  return error instanceof ProviderError && /^unexpected .*"sub"/.test(error.message)
}

interface ProfileContext extends ProviderContext {
  readonly client: Client
  /** Validated parameters of the authorization response. */
  readonly callback: URLSearchParams
}

async function callUserinfoHook(
  tokens: TokenSet,
  claims: IDToken | undefined,
  context: ProfileContext,
): Promise<Profile> {
  const { provider, server, callback } = context
  const profile: unknown = await provider.userinfo.request?.({
    tokens: tokens as UserinfoRequestContext["tokens"], // The protocol library requires the access token.
    url: server.metadata.userinfo_endpoint === undefined ? undefined : getUrl(context),
    callback: new URLSearchParams(callback),
    provider: { ...provider, fetch: createProviderFetch(provider, "userinfo") },
    verifyJwt: (token) => verifyJwt(token, context),
  })
  if (!isRecord(profile)) throw refusal("no-profile", "userinfo.request must return an object")
  if (claims && profile["sub"] !== claims.sub) throw refusal("other-subject", "The profile is of another subject")
  return profile
}

interface ClaimsRequest {
  readonly subject: string
  readonly accessToken: string
}

/** OpenID Connect: the response may be a signed token, and its subject must be that of the ID token. */
async function requestClaims({ subject, accessToken }: ClaimsRequest, context: ProfileContext): Promise<Profile> {
  const { provider, server, client } = context
  const metadata = { ...server.metadata, userinfo_endpoint: getUrl(context).href }
  const call = toCallOptions(provider, "userinfo")
  const response = await userInfoRequest(metadata, client, accessToken, call)
  const isSigned = response.headers.get("content-type")?.split(";")[0] === "application/jwt"
  const token = isSigned ? parseSignedToken(await response.clone().text()) : null
  const claims = await processUserInfoResponse(metadata, client, subject, response)
  if (token) await verifySignature(token, context)
  return withoutSignInClaims(claims)
}

/** Plain OAuth 2.0: any JSON object with a 2xx status. */
async function requestProfile(accessToken: string, context: ProviderContext): Promise<Profile> {
  const { headers, ...call } = toCallOptions(context.provider, "userinfo", "readText")
  const sent = new Headers({ ...headers, accept: "application/json" })
  const response = await protectedResourceRequest(accessToken, "GET", getUrl(context), sent, null, call)
  const profile = await parseJsonAnswer(response, "userinfo")
  assertNoError(profile, accessToken)
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

/** Some providers send errors with status 200. */
function assertNoError({ error, error_description: description }: JsonAnswer, accessToken: string): void {
  if (error === undefined || error === null || error === false || error === "") return
  const answer = { endpoint: "userinfo", status: 200, error, description, secrets: [accessToken] } as const
  throw createAnswerError({ code: "userinfo-error", ...answer })
}

const refusal = refusalsOf({ endpoint: "userinfo" })

interface JwtContext extends Omit<ProviderContext, "server"> {
  readonly client: Client
}

const requiredClaims = ["iss", "aud", "exp"] as const

/**
 * Verifies a JWT that a provider issued for this client: signature, issuer, audience and lifetime, RFC 7519 section 4.1.
 * For providers whose access token identifies the user.
 * @throws ProviderError, or an error of the protocol library
 */
async function verifyJwt(text: string, { provider, endpoints, client }: JwtContext): Promise<JsonAnswer> {
  const token = parseSignedToken(text)
  const missing = requiredClaims.find((claim) => token.claims[claim] === undefined)
  if (missing !== undefined) throw new ProviderError(`The token has no "${missing}"`, { code: "claim-missing" })
  const server = await endpoints.resolve(provider, ["jwks"])
  const expected = toExpectedServer(provider, server, token)
  // The library can validate it as a signed userinfo response, which has the same rules.
  const response = new Response(text, { headers: { "content-type": "application/jwt" } })
  const algorithms = expected.id_token_signing_alg_values_supported ?? []
  const issuer = { ...expected, userinfo_signing_alg_values_supported: algorithms }
  const { userinfo_signed_response_alg: _, ...anyAlgorithm } = client
  const claims = await processUserInfoResponse(issuer, anyAlgorithm, skipSubjectCheck, response)
  await verifySignature(token, { provider, endpoints, server })
  return { ...claims }
}

/** The user and account that a provider's profile describes. */
export interface OAuthIdentity {
  /** Has a new random id; the stored user is looked up later. */
  readonly user: User
  readonly givenEmail?: string
  readonly account: Account
  readonly profile: Profile
  readonly tokens: TokenSet
}

/** Characters. Far above what stores and cookies can hold. */
const maxTextLength = 4096

/** Texts that a careless conversion makes of a missing id. */
const brokenIds: ReadonlySet<string> = new Set([
  "",
  "0",
  "undefined",
  "null",
  "NaN",
  "true",
  "false",
  "[object Object]",
])

/**
 * Turns a profile into a user and an account with the provider's `profile` callback. The account's id is always the one
 * that the callback returns.
 * @throws OAuthProfileParseError
 */
export async function toIdentity(
  provider: ResolvedOAuthProvider,
  profile: Profile,
  tokens: TokenSet,
): Promise<OAuthIdentity> {
  try {
    const fetch = createProviderFetch(provider, "userinfo")
    const converting: Awaitable<unknown> = provider.profile
      ? provider.profile(profile, tokens, { ...provider, fetch })
      : defaultProfile(profile)
    const returned = isPromiseLike(converting) ? await converting : converting
    if (!isRecord(returned)) throw new TypeError("The profile callback returned no user")
    const person = toStorable(returned)
    const { userId: _, ...fields } = tokens
    const providerAccountId = parseAccountId(person["id"])
    const known = parsePerson(person)
    return {
      user: withFields<User>(person, { ...known, id: randomUUID() }),
      ...findGivenEmail(person["email"], known.email),
      account: { ...fields, provider: provider.id, type: provider.type, providerAccountId },
      profile,
      tokens,
    }
  } catch (error) {
    const thrown =
      error instanceof Error ? error : new TypeError("The profile callback threw a value that is not an Error")
    // An app that refuses a profile says why, such as for which address.
    const err = cleanError(thrown, [profile, tokens, provider.clientSecret])
    throw new OAuthProfileParseError({ err, provider: provider.id })
  }
}

/**
 * The fields without NUL characters, which PostgreSQL does not store, and halves of characters, which drivers replace, so that
 * different texts become equal. The id and the address stay: changed, each could be that of another person.
 */
function toStorable(person: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let cleaned = person
  for (const field of Object.keys(person)) {
    const value = person[field]
    if (typeof value !== "string") continue
    const text = value.replaceAll("\0", "").toWellFormed()
    if (text === value) continue
    if (field === "id" || field === "email") throw new TypeError(`The profile's ${field} cannot be stored`)
    cleaned = { ...cleaned, [field]: text }
  }
  return cleaned
}

function parseAccountId(id: unknown): string {
  // JSON.parse rounds larger numbers, so that two ids could become one.
  if (typeof id === "number" && !Number.isSafeInteger(id)) throw new TypeError("The profile's id is not a safe integer")
  const text = toIdText(id)
  if (brokenIds.has(text.trim())) throw new TypeError("The profile has no id")
  if (text.length > maxTextLength) throw new TypeError("The profile's id is too long")
  return text
}

/** The name and email as they are stored. */
function parsePerson(person: Readonly<Record<string, unknown>>): Pick<User, "name" | "email"> {
  // Some profiles have a number as the name.
  const name = parseText(typeof person["name"] === "number" ? String(person["name"]) : person["name"], "name")
  const email = parseText(person["email"], "email")
  return { ...(name !== null && { name }), ...(email !== null && { email: toNormalAddress(email) }) }
}

function parseText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== "string") throw new TypeError(`The profile's ${field} is not a string`)
  if (value.length > maxTextLength) throw new TypeError(`The profile's ${field} is too long`)
  return value
}

/**
 * The address as other versions and libraries stored it, in lower case, if its normal form is another. The Kelvin sign
 * (U+212A) is the only non-ASCII character whose lower case is an ASCII letter: a look-alike must not become another user's
 * address.
 */
function findGivenEmail(email: unknown, normal: User["email"]): Pick<OAuthIdentity, "givenEmail"> {
  if (!normal) return {}
  const given = String(email).replace(/[^\u212a]+/g, (text) => text.toLowerCase())
  return given === normal ? {} : { givenEmail: given }
}

/**
 * Adds the `user` field of a form-post callback to the claims: Apple sends the user's name there, with the first consent
 * only. The field comes through the browser unsigned, so that only the name is used, and it never replaces a claim.
 * @see https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
 */
export function withUserField(claims: Profile, field: unknown): Profile {
  if (typeof field !== "string" || field.length > maxTextLength) return claims
  const user = parseJson(field)
  const name = isRecord(user) ? user["name"] : undefined
  if (!isRecord(name)) return claims
  const parts = Object.entries(name).filter(([, value]) => typeof value === "string")
  return { user: { name: Object.fromEntries(parts) }, ...claims }
}

/**
 * The `profile` callback of a provider that has none: the standard claims of OpenID Connect Core 1.0 section 5.1.
 * Without `sub` or `id` the user has no id, and the sign-in is refused.
 * @internal Exported for its tests.
 */
export function defaultProfile(profile: Profile): User {
  const id = profile.sub ?? profile.id
  return {
    ...(id !== undefined && id !== null && { id }),
    name: profile.name ?? profile.nickname ?? profile.preferred_username ?? null,
    email: profile.email ?? null,
    // Left out rather than null, as in the contract: clients may show an empty picture for null.
    ...(typeof profile.picture === "string" && { image: profile.picture }),
  }
}
