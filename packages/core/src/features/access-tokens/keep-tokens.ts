import type { TokenWriter } from "../../account/link-oauth.js"
import { integer, type Kinds, oneOf } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import { createSealer } from "../../crypto/seal.js"
import { AuthError, toError } from "../../errors/auth-error.js"
import { findAdapterMistake } from "../../host/adapter-mistakes.js"
import type { Store } from "../../host/store.js"
import { toSetJar } from "../../http/cookies.js"
import type { LogContext } from "../../log/audit-event.js"
import { findProviderReason } from "../../oauth/advice.js"
import { asOAuthProvider } from "../../oauth/client.js"
import { ProviderError, toSafeError } from "../../oauth/errors.js"
import { selectKept, splitRefreshToken } from "../../oauth/kept-parameters.js"
import { revokeToken } from "../../oauth/refresh.js"
import { systemClock, withDeadline } from "../../runtime/promise.js"
import type { SignedIn } from "../../session/session.js"
import type { Adapter, AdapterAccount, AdapterUser } from "../../types/adapter.js"
import type { TokenStore } from "../../types/adapter-features.js"
import type { TokenKeeping } from "../../types/config.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext, Feature } from "../feature.js"
import type { AppFunctions } from "../functions.js"
import { featureFrame } from "../slots.js"
import { createAccountPlace, createAccountVault } from "./account-vault.js"
import { clearAllTokens, createCookiePlace } from "./cookie-place.js"
import { type KeptTokens, toKeptTokens, withLifetime } from "./keeper.js"
import {
  type AccountTokens,
  createStorePlace,
  findTokens,
  type PlaceContext,
  type TokenPlace,
  type TokenVisit,
} from "./place.js"

/** Options of `accessTokens`. */
export interface AccessTokensOptions {
  /**
   * Where the tokens are kept: `account`, in the rows of linked accounts; `cookie`, in sealed cookies of the browser; or a
   * store of your own that all processes share. Default: `account` if the adapter has `replaceTokens` and `takeLease`, else
   * `cookie`.
   */
  readonly keep?: "account" | "cookie" | TokenStore | undefined
  /**
   * Whether tokens are encrypted in the database, with the `secret` of the configuration. Tokens from before are encrypted
   * when they are written next. Set it to false if your own code reads them there. In cookies and in a store of your own they
   * are always encrypted, and the database has none unless this is false. Default: true.
   */
  readonly encrypt?: boolean | undefined
  /** Seconds before its expiry from which on an access token is refreshed; at most an hour. Default: 60. */
  readonly refreshBefore?: number | undefined
  /**
   * When tokens are revoked at providers that have an endpoint for it, RFC 7009: `unlink`, when an account is removed;
   * `sign-out`, also after each sign-out, for all of the user's accounts; or `never`. Default: `unlink`.
   */
  readonly revoke?: RevocationMoment | undefined
}

/** When tokens are revoked. `sign-out` includes `unlink`. */
export type RevocationMoment = "unlink" | "sign-out" | "never"

/** What the code of access tokens shares: the options with their defaults. */
export interface OwnTokens {
  /** Seconds. */
  readonly refreshBefore: number
  readonly revoke: RevocationMoment
  /** The place of the tokens: one for each context, since it remembers some. */
  openPlace(context: PlaceContext): TokenPlace
}

/** @param findAccessToken What `getAccessToken` calls. */
export function createTokenKeeping(
  options: AccessTokensOptions,
  findAccessToken: AppFunctions["findAccessToken"],
): TokenKeeping {
  const { keep, encrypt: isSealing = true, refreshBefore = 60, revoke = "unlink" } = options
  const choose = (hasMethods: boolean): Keep => keep ?? (hasMethods ? "account" : "cookie")
  const chooseFor = (store: Store | null): Keep =>
    choose(store?.has("replaceTokens") === true && store.has("takeLease"))
  const openPlace = createPlaces(chooseFor, isSealing)
  const own: OwnTokens = { refreshBefore, revoke, openPlace }
  const feature: TokenKeeping & Feature = {
    feature: "accessTokens",
    frame: featureFrame,
    own,
    functions: { findAccessToken },
    validate: ({ adapter }) =>
      validateFactoryOptions("accessTokens", options, kinds) ??
      (choose(hasTokenMethods(adapter)) === "account" ? findAdapterMistake(needs, adapter) : null),
    openTokens: (store, secrets) =>
      chooseFor(store) === "account" ? openAccounts(store, secrets, isSealing) : openRows(isSealing),
    async onSessionStart(signedIn, started, request, context) {
      // The sign-in has written them with the row.
      if (chooseFor(context.store) === "account") return {}
      // As the next request will have it. Its user may have another id than the sign-in: the app's callbacks decide.
      const user = await context.sessions.findUser(toSetJar(started), findById)
      const start = { provider: signedIn.account.provider, received: await findReceived(signedIn, context), started }
      const { cookies } = request
      return user ? { cookies: await openPlace(context).begin(user.id, start, { cookies, request }) } : {}
    },
    async onUnlink(account, request, context) {
      const written: ResponseCookie[] = []
      const writer = {
        canWrite: () => true,
        write: (cookies: readonly ResponseCookie[]) => void written.push(...cookies),
      }
      const found = await findTokens(openPlace(context), account, { cookies: request.cookies, request, writer })
      const tokens = await found?.vault.read()
      return async () => {
        await found?.vault.clear()
        if (tokens && revoke !== "never") await revokeTokens(tokens, account, { context, request })
        return written
      }
    },
    onSignOut: async (target, { cookies }, context) => ({ url: target, cookies: clearAllTokens(cookies, context) }),
    onSignedOut(message, request, context) {
      const userId = "token" in message ? message.token?.sub : message.session?.userId
      const isRevoking = revoke === "sign-out"
      // Without an adapter, each session has a user id of its own, which no other one can ask for.
      const isLast = context.store === null && typeof keep === "object"
      if (userId === undefined || !(isRevoking || isLast)) return
      const visit = { cookies: request.cookies, request }
      void forgetAtSignOut(String(userId), openPlace(context), { visit, context, isRevoking })
    },
  }
  return Object.freeze(feature)
}

type Keep = NonNullable<AccessTokensOptions["keep"]>

/** Opens places, and remembers them. */
function createPlaces(chooseFor: (store: Store | null) => Keep, isSealing: boolean): OwnTokens["openPlace"] {
  const places = new WeakMap<PlaceContext, TokenPlace>()

  function create(context: PlaceContext): TokenPlace {
    const { store } = context
    const keep = chooseFor(store)
    if (typeof keep === "object") return createStorePlace(keep, context)
    return keep === "account" && store
      ? createAccountPlace({ ...context, store }, isSealing)
      : createCookiePlace(context)
  }

  return (context) => {
    const place = places.get(context) ?? create(context)
    places.set(context, place)
    return place
  }
}

function hasTokenMethods(adapter: Adapter | undefined): boolean {
  return typeof adapter?.replaceTokens === "function" && typeof adapter.takeLease === "function"
}

/** The user of a session token by id alone: whether the store knows them is seen by their accounts. */
export async function findById(id: string): Promise<AdapterUser> {
  return { id, email: "", emailVerified: null }
}

/** The tokens of a sign-in that its provider lets be stored. Null if it brought none. */
async function findReceived({ account }: SignedIn, context: ActionContext): Promise<AccountTokens | null> {
  const provider = asOAuthProvider(await context.findProvider(account.provider))
  if (!provider) return null
  const { provider: _, providerAccountId, type: __, ...received } = account
  const tokens = withLifetime(toKeptTokens(selectKept(provider, received, systemClock())), systemClock())
  const isEmpty = tokens.access_token === undefined && tokens.refresh_token === undefined
  return isEmpty ? null : { account: providerAccountId, tokens }
}

function openAccounts(store: Store, secrets: readonly string[], isSealing: boolean): TokenWriter {
  const sealer = createSealer(secrets)
  const toNewTokens = (account: AdapterAccount) => withLifetime(toKeptTokens(account), systemClock())
  const vaultOf = (key: AdapterAccount) => createAccountVault({ store, sealer, isSealing, key })
  return {
    seal: async (account) => ({ ...account, ...(await vaultOf(account).seal(toNewTokens(account))) }),
    renew: async (account) => vaultOf(account).renew(toNewTokens(account)),
  }
}

/** Rows of accounts whose tokens are kept elsewhere. A second copy in the database would be in clear, and soon out of date. */
function openRows(isWithoutTokens: boolean): TokenWriter {
  return {
    async seal(account) {
      // Written for the app's own code.
      if (!isWithoutTokens) return withPlainRefreshToken(account)
      const { access_token: _, refresh_token: __, id_token: ___, ...row } = account
      return row
    },
    renew: async () => {},
  }
}

function withPlainRefreshToken(account: AdapterAccount): AdapterAccount {
  const { refresh_token } = account
  return refresh_token ? { ...account, refresh_token: splitRefreshToken(refresh_token).refreshToken } : account
}

/** A call for revocation ends after this. */
const revocationMs = 10_000

interface SignOutVisit {
  readonly context: ActionContext
  /** For the log. */
  readonly request: LogContext
}

/**
 * Revokes the tokens of an account that are no longer in the store. Never throws: the log has the cause of a failure.
 * @returns whether the provider has revoked them
 */
export async function revokeTokens(
  { refresh_token, access_token }: KeptTokens,
  { provider: id }: Pick<AdapterAccount, "provider">,
  { context, request }: SignOutVisit,
): Promise<boolean> {
  const provider = asOAuthProvider(await context.findProvider(id))
  const token = refresh_token ?? access_token
  if (token === undefined || !provider) return false
  const kind = refresh_token === undefined ? "access_token" : "refresh_token"
  const call = revokeToken({ token, kind }, provider)
  const late = () => new ProviderError("The revocation endpoint did not answer in time", { code: "timed-out" })
  try {
    return await withDeadline(call, revocationMs, late)
  } catch (thrown) {
    const err = toSafeError(toError(thrown))
    const about = { err, provider: id, ...findProviderReason(err) }
    context.log.error(new AuthError("The user's tokens could not be revoked", about), request)
    return false
  }
}

interface SignOut {
  readonly visit: TokenVisit
  readonly context: ActionContext
  readonly isRevoking: boolean
}

/**
 * Removes the tokens of a user who has signed out, and revokes them. They leave their place first, so that no other process
 * uses or refreshes them. Never throws, and the sign-out does not wait for it.
 */
async function forgetAtSignOut(
  userId: string,
  place: TokenPlace,
  { visit, context, isRevoking }: SignOut,
): Promise<void> {
  try {
    for (const { key, vault } of await place.list(userId, visit)) {
      const tokens = await vault.clear()
      if (tokens && isRevoking) await revokeTokens(tokens, key, { context, request: visit.request })
    }
  } catch {
    // The store has logged its error.
  }
}

const needs = {
  option: "accessTokens",
  methods: ["takeLease", "dropLease", "replaceTokens", "getAccount", "listAccountsByUserId"],
} as const

const hourSeconds = 60 * 60

const storeMethods = ["get", "replace", "takeLease", "dropLease"] as const satisfies (keyof TokenStore)[]

function isTokenStore(value: unknown): value is TokenStore {
  const isObject = typeof value === "object" && value !== null
  return isObject && storeMethods.every((name) => typeof Reflect.get(value, name) === "function")
}

const kinds: Kinds<AccessTokensOptions> = {
  keep: {
    words: `"account", "cookie", or a token store with the methods ${storeMethods.join(", ")}`,
    isValid: (value) => value === "account" || value === "cookie" || isTokenStore(value),
  },
  encrypt: { words: "true or false", isValid: (value) => typeof value === "boolean" },
  refreshBefore: integer(0, hourSeconds, `an integer of seconds from 0 to ${hourSeconds}`),
  revoke: oneOf("unlink", "sign-out", "never"),
}
