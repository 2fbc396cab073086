import type { RememberText } from "../../crypto/jwt.js"
import { type AccessTokenFailure, AccessTokenUnavailable, InvalidConfiguration } from "../../errors/errors.js"
import type { Store } from "../../host/store.js"
import { appendCookies } from "../../http/caching.js"
import { findProviderReason, withFieldAdvice } from "../../oauth/advice.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../../oauth/errors.js"
import { fetchKeysAhead } from "../../oauth/jws.js"
import { refreshTokens } from "../../oauth/refresh.js"
import { openService } from "../../open-service.js"
import { onePerProcess } from "../../runtime/cache.js"
import { andThen, systemClock, withDeadline } from "../../runtime/promise.js"
import type { TokenKeeping } from "../../types/config.js"
import type { ResolvedOAuthProvider } from "../../types/resolved.js"
import { type ActionContext, getOwn } from "../feature.js"
import type { AccessToken, AccessTokenOptions, CookieWriter, HostConfig, HostRequest } from "../functions.js"
import { clearAllTokens } from "./cookie-place.js"
import { type AccessTokensOptions, createTokenKeeping, findById, type OwnTokens, revokeTokens } from "./keep-tokens.js"
import {
  callMs,
  createKeeper,
  createRefreshMemory,
  type FailedRefresh,
  type Keeper,
  type KeptTokens,
  type RefreshResult,
  readIdToken,
  type TokenVault,
  toKeptTokens,
} from "./keeper.js"
import {
  type AccountKey,
  createSealedMemory,
  findMissingLink,
  findTokens,
  isWanted,
  type TokenPlace,
  type TokenVisit,
  type WantedAccount,
} from "./place.js"

/** Options of {@link getAccessToken} for code without a framework. */
export interface RequestTokenOptions extends AccessTokenOptions, ResponseOptions {}

/** The response to the request. */
export interface ResponseOptions {
  /** The headers of your response. Tokens that are kept in cookies are refreshed only with them. */
  readonly headers?: Headers | undefined
}

/** Refreshes the tokens of a service. Remembers within one process. */
interface Workshop {
  readonly place: TokenPlace
  readonly keeper: Keeper
  readonly endpoints: ProviderEndpoints
  readonly remember: RememberText
}

const workshops = new WeakMap<ActionContext, Workshop>()

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due, and only once
 * across all callers and processes.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(
  request: Request,
  config: HostConfig,
  options: RequestTokenOptions,
): Promise<AccessToken> {
  return findAccessToken(request, config, options, toWriter(options.headers))
}

/**
 * Keeps the access tokens of providers fresh: the value of the option `accessTokens`. Each sign-in writes the account's new
 * tokens, and `getAccessToken` refreshes those that are due, once across all processes. In the database, it needs an
 * adapter with `takeLease`, `dropLease`, `replaceTokens`, `getAccount` and `listAccountsByUserId`. In cookies, it needs none.
 * @example
 * accessTokens: accessTokens({ refreshBefore: 120 })
 */
export function accessTokens(options: AccessTokensOptions = {}): TokenKeeping {
  // Integrations find it with the option, so that apps without it do not bundle it.
  return createTokenKeeping(options, findAccessToken)
}

async function findAccessToken(
  request: HostRequest,
  config: HostConfig,
  options: AccessTokenOptions,
  writer: CookieWriter | undefined,
): Promise<AccessToken> {
  const { own, context, visit } = await openTokens(request, config, writer)
  const provider = await findProvider(context, options.provider)
  const workshop = workshops.get(context) ?? createWorkshop(own.openPlace(context), context)
  const userId = await getUserId(visit, context, { find: findById, remember: workshop.remember })
  const found = await findTokens(workshop.place, { ...options, userId }, visit)
  if (!found) throw unavailable("no-account", provider)
  const { key, vault, findObstacle } = found
  const tell = async (event: "tokensRefreshed" | "tokensLost") => {
    const message = { userId: String(userId), provider: provider.id, providerAccountId: key.providerAccountId }
    await context.events.of(visit.request).send(event, message)
  }
  const kept = await workshop.keeper.keep({
    vault,
    owner: [key.provider, key.providerAccountId, String(key.userId)],
    ...(findObstacle && { findObstacle }),
    secondsLeft: options.secondsLeft ?? own.refreshBefore,
    not: options.not,
    usualLifetime: provider.token.expiresIn,
    refresh: (refreshToken) => refresh(refreshToken, provider, vault, workshop.endpoints),
    onRefreshed: () => tell("tokensRefreshed"),
    onLost: () => tell("tokensLost"),
  })
  if ("failure" in kept) {
    const isHeld = kept.failure === "unreachable" && !kept.error
    throw unavailable(kept.failure, provider, isHeld ? { because: "held" } : kept)
  }
  return toAccessToken(kept.tokens, provider, options.scope)
}

interface OpenedTokens {
  readonly own: OwnTokens
  readonly context: ActionContext
  readonly visit: TokenVisit
}

/** @throws AuthError when the configuration is invalid or without `accessTokens` */
async function openTokens(
  request: HostRequest,
  config: HostConfig,
  writer: CookieWriter | undefined,
): Promise<OpenedTokens> {
  const { context, visit } = await openService(request, config)
  const own = getOwn<OwnTokens>(context, "accessTokens")
  if (!own) throw new InvalidConfiguration("accessTokens: missing. Write accessTokens: accessTokens()")
  return { own, context, visit: { cookies: visit.cookies, request: visit, writer } }
}

/** Adds cookies to headers. Those of some responses, such as `Response.redirect()`, cannot be changed. */
function toWriter(headers: Headers | undefined): CookieWriter | undefined {
  return (
    headers && {
      canWrite() {
        try {
          headers.delete("x-latchkey-unset")
          return true
        } catch {
          return false
        }
      },
      write: (cookies) => appendCookies(headers, cookies),
    }
  )
}

/** Shared by all configurations, so that a configuration that is rebuilt for each request does not forget. */
const openMemory = onePerProcess("refreshed", 1, createRefreshMemory)

function createWorkshop(place: TokenPlace, context: ActionContext): Workshop {
  const workshop: Workshop = {
    place,
    remember: createTextMemory(),
    endpoints: createProviderEndpoints({ clock: systemClock }),
    keeper: createKeeper({
      leases: place.leases,
      memory: openMemory(),
      secret: context.secrets[0] ?? "",
      clock: systemClock,
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    }),
  }
  workshops.set(context, workshop)
  return workshop
}

async function findProvider(context: ActionContext, id: string): Promise<ResolvedOAuthProvider> {
  const provider = asOAuthProvider(await context.findProvider(id))
  if (provider) return provider
  throw new InvalidConfiguration("getAccessToken: provider must be the id of an OAuth or OpenID Connect provider")
}

/** How many session tokens a process remembers. */
const maxTexts = 1000
/** Characters of the longest one, which fits in one cookie. */
const longestToken = 4096

/**
 * Remembers what session tokens decrypt to, by the token: pages ask for several access tokens, and call their servers often
 * before the browser has a new cookie. Decrypting would take half of the time of a call beside its read of the store.
 */
function createTextMemory(): RememberText {
  const texts = createSealedMemory<string>(maxTexts)
  return (token, decrypt) =>
    texts.get(token) ??
    andThen(decrypt(), (text) => {
      if (text !== null && token.length <= longestToken) texts.set(token, text)
      return text
    })
}

interface Reading {
  readonly find: typeof findById | undefined
  readonly remember?: RememberText
}

/**
 * The id of the signed-in user: from the session, never from the request.
 * @throws AccessTokenUnavailable
 */
async function getUserId(visit: TokenVisit, context: ActionContext, { find, remember }: Reading): Promise<string> {
  const user = await context.sessions.findUser(visit.cookies, find, remember)
  if (user) return user.id
  // The session has ended, or never was: a store that is away throws.
  const left = clearAllTokens(visit.cookies, context)
  if (left.length > 0 && (await visit.writer?.canWrite())) await visit.writer?.write(left)
  throw new AccessTokenUnavailable("No user is signed in", "signed-out")
}

/** Uses the refresh token, and returns the result. */
async function refresh(
  refreshToken: string,
  provider: ResolvedOAuthProvider,
  vault: TokenVault,
  endpoints: ProviderEndpoints,
): Promise<RefreshResult> {
  let isSent = false
  const timeout = new AbortController()
  const endMs = systemClock() + callMs
  const late = () => {
    timeout.abort()
    return new ProviderError("The token endpoint did not answer in time", { code: "timed-out" })
  }
  const call = async (): Promise<RefreshResult> => {
    const { subject, isVerifiedByKeys } = (await vault.readIdToken?.()) ?? readIdToken((await vault.read())?.id_token)
    const server = await endpoints.resolve(provider, ["token"])
    // Without them the answer could not be verified, and the refresh token would be used up.
    if (isVerifiedByKeys) await fetchKeysAhead({ provider, server, endpoints })
    // The lease ends soon after. Then another caller may use the refresh token.
    if (systemClock() >= endMs) throw late()
    isSent = true
    const tokens = await refreshTokens(
      { refreshToken, subject, signal: timeout.signal },
      { provider, server, endpoints },
    )
    return { kind: "refreshed", tokens: toKeptTokens(tokens) }
  }
  try {
    return await withDeadline(call(), callMs, late)
  } catch (thrown) {
    const error = withFieldAdvice(toSafeError(thrown), provider)
    return { kind: isSent ? classify(error) : "unreachable", error }
  }
}

/** Errors that say that the refresh token is not valid: RFC 6749 section 5.2, and what GitHub, Slack and Twitch send instead. */
const refusedTokens: ReadonlySet<string | undefined> = new Set([
  ...["invalid_grant", "bad_refresh_token", "invalid_refresh_token"],
])
/** Errors of a provider that is busy. */
const passing: ReadonlySet<string | undefined> = new Set(["server_error", "temporarily_unavailable", "slow_down"])
/** Statuses of requests that may be sent again as they are: too late, too early, too many. */
const retryStatuses: ReadonlySet<number> = new Set([408, 425, 429])

/** What an error means for the refresh token. */
function classify(error: Error): FailedRefresh["kind"] {
  if (!(error instanceof ProviderError)) return "lost"
  if (refusedTokens.has(error.error) || error.isAboutToken) return "refused"
  // The provider has answered, and the answer could not be verified.
  if (error.endpoint === "jwks") return "lost"
  const { status } = error
  // An error status means that the provider did not use the token, RFC 6749 section 5.2.
  const isUnused = error.error !== undefined || (status !== undefined && status !== 200)
  const isUnreachable = /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/.test(error.message)
  if (!isUnused) return isUnreachable ? "unreachable" : "lost"
  const isPassing = passing.has(error.error) || status === undefined || status >= 500 || retryStatuses.has(status)
  return isPassing ? "unreachable" : "misconfigured"
}

function toAccessToken(tokens: KeptTokens, provider: ResolvedOAuthProvider, wanted: string | undefined): AccessToken {
  const { access_token: accessToken, expires_at, scope, token_type: tokenType = "bearer" } = tokens
  if (accessToken === undefined) throw unavailable("no-refresh-token", provider)
  if (wanted !== undefined) {
    const granted = new Set(scope?.split(" "))
    if (wanted.split(" ").some((one) => one !== "" && !granted.has(one))) throw unavailable("scope-missing", provider)
  }
  const expiresAt = expires_at === undefined ? null : new Date(expires_at * 1000)
  return { accessToken, expiresAt, scope: scope ?? null, tokenType }
}

type Reason = Exclude<AccessTokenFailure, "signed-out">

const explanations: Readonly<Record<Reason | "held" | "lost", string>> = {
  "no-account": "The user has no account of the provider, or this browser has no tokens of it",
  "no-refresh-token": "The access token is no longer valid and there is no refresh token. The user must sign in again",
  "scope-missing": "The provider did not grant the scope. The user must sign in with it",
  refused: "The provider refused to refresh the access token. The user must sign in again",
  misconfigured:
    "The provider refused the request itself. Check the client id and secret, and whether it expects another request (token.request)",
  unreachable: "The provider did not answer. Try again later",
  held: "Another call or process has begun to refresh the tokens and has not finished. It may have been killed. Try again in a few seconds",
  lost: "The provider may have refreshed the tokens, but its answer is missing or not valid. Try again later",
  "cannot-write":
    "The access token is due, and its cookie cannot be set here. Ask for it where the response can set cookies",
}

function unavailable(
  reason: Reason,
  { id: provider }: ResolvedOAuthProvider,
  { error: err, because = reason }: { readonly error?: Error; readonly because?: keyof typeof explanations } = {},
): AccessTokenUnavailable {
  const why = err ? findProviderReason(err) : null
  // The story of a refused code is about sign-ins.
  const about = why?.reason === "code-rejected" ? null : why
  return new AccessTokenUnavailable(explanations[because], reason, { provider, ...(err && { err }), ...about })
}

/** The account that {@link disconnectAccount} removes. */
export interface DisconnectOptions extends ResponseOptions {
  /** Id of the provider. */
  readonly provider: string
  /** The user's id at the provider, for users with several accounts there. Default: the first one. */
  readonly providerAccountId?: string | undefined
}

/**
 * Removes an account of the signed-in user, and revokes its tokens at the provider. It does not check that the user has
 * another sign-in method: `unlinkAccount` from `@latchkey/core/account-area` does, and revokes the tokens too.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @returns whether the provider has revoked the tokens; the account is always removed
 * @throws AccessTokenUnavailable if no user is signed in (`signed-out`), the user has no such account (`no-account`), or its
 *   tokens are in a cookie that cannot be cleared, without `headers` (`cannot-write`)
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function disconnectAccount(
  request: Request,
  config: HostConfig,
  { headers, ...options }: DisconnectOptions,
): Promise<{ readonly isRevoked: boolean }> {
  const { own, context, visit } = await openTokens(request, config, toWriter(headers))
  const { store } = context
  // A session that has just ended must not remove a sign-in method, so its record is looked up.
  const find = context.sessions.identify ? undefined : findById
  const wanted = { ...options, userId: await getUserId(visit, context, { find }) }
  const found = await findTokens(own.openPlace(context), wanted, visit)
  const obstacle = (await found?.findObstacle?.()) ?? null
  if (obstacle === "cannot-write") throw new AccessTokenUnavailable("Pass the headers of the response", obstacle)
  const tokens = (await found?.vault.read()) ?? null
  // The account of the tokens may be another user's by now, and the tokens of the user's own in another browser only.
  const account = found && obstacle === null ? found.key : await findAccount(wanted, store)
  // Without the row, no other process uses or refreshes them.
  if (account) await store?.unlinkAccount({ provider: account.provider, providerAccountId: account.providerAccountId })
  await found?.vault.clear()
  if (!account) throw new AccessTokenUnavailable("The user has no account of the provider", "no-account")
  const isRevoking = tokens !== null && obstacle === null && own.revoke !== "never"
  return { isRevoked: isRevoking && (await revokeTokens(tokens, account, { context, request: visit.request })) }
}

async function findAccount(wanted: WantedAccount, store: Store | null): Promise<AccountKey | undefined> {
  if (store?.has("listAccountsByUserId")) {
    return (await store.listAccountsByUserId(wanted.userId)).find((account) => isWanted(account, wanted))
  }
  // Every adapter finds the user of an account.
  const { provider, providerAccountId, userId } = wanted
  if (!store || providerAccountId === undefined) return undefined
  const key = { provider, providerAccountId, userId }
  return (await findMissingLink(key, { store })) === null ? key : undefined
}
