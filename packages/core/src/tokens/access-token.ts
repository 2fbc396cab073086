import type { ActionContext } from "../actions/context.js"
import { createSealer } from "../crypto/seal.js"
import { type AccessTokenFailure, AccessTokenUnavailable, InvalidConfiguration } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import type { CookieJar } from "../http/cookies.js"
import { createProviderEndpoints, type ProviderEndpoints } from "../oauth/endpoints.js"
import { ProviderError, toSafeError } from "../oauth/errors.js"
import { parseSignedToken } from "../oauth/jws.js"
import { refreshTokens } from "../oauth/refresh.js"
import { type HostConfig, openService } from "../open-service.js"
import { systemClock, withDeadline } from "../runtime/promise.js"
import type { Service } from "../service.js"
import type { AdapterAccount, AdapterUser } from "../types/adapter.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { type AccountVault, createAccountVault, toKeptTokens } from "./account-vault.js"
import type { TokenKeeper } from "./keep-tokens.js"
import { callMs, createKeeper, type Keeper, type KeptTokens, type RefreshResult } from "./keeper.js"

/** Which token {@link getAccessToken} returns. */
export interface AccessTokenOptions {
  /** Id of the provider. */
  readonly provider: string
  /** The user's id at the provider, for users with several accounts there. Default: the first one. */
  readonly providerAccountId?: string
  /** Scopes that the token must have, separated by spaces. Default: any. */
  readonly scope?: string
  /** How many more seconds the token should be valid. A new token may be valid for less. Default: `refreshBefore`. */
  readonly secondsLeft?: number
}

/** An access token of a provider. Keep it on the server. */
export interface AccessToken {
  /** Send it as `Authorization: Bearer`. */
  readonly accessToken: string
  /** Null if the provider did not say. */
  readonly expiresAt: Date | null
  /** The scopes that the provider granted, separated by spaces. Null if it did not say. */
  readonly scope: string | null
  /** Always lower case. */
  readonly tokenType: string
}

/** What refreshes the tokens of a service. Its memory is that of one process. */
interface Workshop {
  readonly keeper: Keeper
  readonly endpoints: ProviderEndpoints
}

const workshops = new WeakMap<Service, Workshop>()

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due: once, however many callers in
 * however many processes ask.
 * @param request Has the session cookie. Its URL must have the scheme of the app's public address.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `tokens`, or the store fails
 */
export async function getAccessToken(
  request: Request,
  config: HostConfig,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const { service, context, visit } = openService(request, config)
  const { store } = context
  const feature = config.tokens as TokenKeeper | undefined // as: the factory made it; the public type hides what it is.
  if (!feature || !store) throw new InvalidConfiguration("tokens: missing. Write tokens: keepTokens()")
  const provider = findProvider(context, options.provider)
  const { user, account } = await findOwnAccount(visit.cookies, options, context)
  const { isSealing, refreshBefore } = feature
  const sealer = createSealer(context.secrets)
  const vault = createAccountVault({ store, sealer, isSealing, key: { ...account, userId: user.id } }, account)
  const workshop = workshops.get(service) ?? createWorkshop(store)
  workshops.set(service, workshop)
  const message = { userId: String(user.id), provider: provider.id, providerAccountId: account.providerAccountId }
  const events = context.events.of(visit)
  const kept = await workshop.keeper.keep({
    vault,
    secondsLeft: options.secondsLeft ?? refreshBefore,
    refresh: (refreshToken) => refresh(refreshToken, provider, vault, workshop.endpoints),
    onRefreshed: async () => events.send("tokensRefreshed", message),
    onLost: async () => events.send("tokensLost", message),
  })
  if ("failure" in kept) throw unavailable(kept.failure, provider, kept.error)
  return toAccessToken(kept.tokens, provider, options.scope)
}

function createWorkshop(store: Store): Workshop {
  return {
    endpoints: createProviderEndpoints({ clock: systemClock }),
    keeper: createKeeper({
      leases: {
        take: async (lease) => store.takeLease(lease),
        drop: async (lease) => void (await store.dropLease(lease)),
      },
      clock: systemClock,
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    }),
  }
}

function findProvider({ providers }: ActionContext, id: string): ResolvedOAuthProvider {
  const provider = providers.get(id)
  if (provider?.type === "oauth" || provider?.type === "oidc") return provider as ResolvedOAuthProvider
  throw new InvalidConfiguration("getAccessToken: provider must be the id of an OAuth or OpenID Connect provider")
}

/**
 * The user's own account: the id of the user comes from the session, never from the request.
 * @throws AccessTokenUnavailable
 */
export async function findOwnAccount(
  cookies: CookieJar,
  { provider, providerAccountId }: Pick<AccessTokenOptions, "provider" | "providerAccountId">,
  { sessions, store }: Pick<ActionContext, "sessions" | "store">,
): Promise<{ readonly user: AdapterUser; readonly account: AdapterAccount }> {
  const user = await sessions.findUser(cookies)
  if (!user) throw new AccessTokenUnavailable("No user is signed in", "signed-out")
  const accounts = (await store?.listAccountsByUserId(user.id)) ?? []
  const account = accounts.find(
    (one) =>
      one.provider === provider && (providerAccountId === undefined || one.providerAccountId === providerAccountId),
  )
  if (account) return { user, account }
  throw new AccessTokenUnavailable(`The user has no account of the provider ${provider}`, "no-account")
}

/** Uses the refresh token, and returns the result. */
async function refresh(
  refreshToken: string,
  provider: ResolvedOAuthProvider,
  vault: AccountVault,
  endpoints: ProviderEndpoints,
): Promise<RefreshResult> {
  let isSent = false
  const call = async (): Promise<RefreshResult> => {
    const subject = findSubject((await vault.read())?.id_token)
    const server = await endpoints.resolve(provider, ["token"])
    isSent = true
    const tokens = await refreshTokens({ refreshToken, subject }, { provider, server, endpoints })
    return { kind: "refreshed", tokens: toKeptTokens(tokens) }
  }
  const late = () => new ProviderError("The token endpoint did not answer in time", { code: "timed-out" })
  try {
    return await withDeadline(call(), callMs, late)
  } catch (thrown) {
    const error = toSafeError(thrown)
    return { kind: isSent ? classify(error) : "unreachable", error }
  }
}

/** What an error means for the refresh token. */
function classify(error: Error): "refused" | "unreachable" | "lost" {
  if (!(error instanceof ProviderError)) return "lost"
  if (error.error === "invalid_grant" || error.isAboutToken) return "refused"
  // An error status means that the provider did not use the token, RFC 6749 section 5.2.
  const isUnused = error.error !== undefined || (error.status !== undefined && error.status !== 200)
  return isUnused || /\((?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\)/.test(error.message) ? "unreachable" : "lost"
}

/** The user of the stored ID token, which was verified before it was stored. */
function findSubject(idToken: string | undefined): string | undefined {
  if (idToken === undefined) return undefined
  try {
    const { sub } = parseSignedToken(idToken).claims
    return typeof sub === "string" ? sub : undefined
  } catch {
    return undefined
  }
}

function toAccessToken(tokens: KeptTokens, provider: ResolvedOAuthProvider, wanted: string | undefined): AccessToken {
  const { access_token: accessToken, expires_at, scope, token_type: tokenType = "bearer" } = tokens
  if (accessToken === undefined) throw unavailable("no-refresh-token", provider)
  const granted = new Set(scope?.split(" "))
  if (wanted?.split(" ").some((one) => one !== "" && !granted.has(one))) throw unavailable("scope-missing", provider)
  const expiresAt = expires_at === undefined ? null : new Date(expires_at * 1000)
  return { accessToken, expiresAt, scope: scope ?? null, tokenType }
}

const explanations: Readonly<Record<Exclude<AccessTokenFailure, "signed-out">, string>> = {
  "no-account": "The account was unlinked",
  "no-refresh-token": "The access token has expired and there is no refresh token. The user must sign in again",
  "scope-missing": "The provider did not grant the scope. The user must sign in with it",
  refused: "The provider refused to refresh the access token. The user must sign in again",
  unreachable: "The provider did not answer. Try again later",
}

function unavailable(
  reason: keyof typeof explanations,
  { id: provider }: ResolvedOAuthProvider,
  err?: Error,
): AccessTokenUnavailable {
  return new AccessTokenUnavailable(explanations[reason], reason, { provider, ...(err && { err }) })
}
