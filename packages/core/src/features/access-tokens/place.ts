import { sha256Hex } from "../../crypto/hash.js"
import { createSealer, type SealedClaims, type Sealer } from "../../crypto/seal.js"
import { toError } from "../../errors/auth-error.js"
import { AdapterError } from "../../errors/errors.js"
import { cleanError } from "../../host/redact.js"
import type { CookieJar } from "../../http/cookies.js"
import type { LogContext } from "../../log/audit-event.js"
import { BoundedMap } from "../../runtime/cache.js"
import { isSameId } from "../../runtime/id.js"
import { andThen, systemClock } from "../../runtime/promise.js"
import type { AdapterAccount } from "../../types/adapter.js"
import type { TokenStore } from "../../types/adapter-features.js"
import type { Awaitable } from "../../types/basics.js"
import type { ResponseCookie } from "../../types/http.js"
import type { ActionContext } from "../feature.js"
import type { CookieWriter } from "../functions.js"
import { type KeptTokens, type Leases, type RefreshFailure, type TokenVault, toKeptTokens } from "./keeper.js"

/** Whose tokens, at which account. */
export type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId" | "userId">

/** The tokens of a user at a provider. */
export interface TokenOwner {
  readonly provider: string
  readonly userId: string
}

/** Tokens, and the user's id at their provider. */
export interface AccountTokens {
  readonly account: string
  readonly tokens: KeptTokens
}

/** The tokens of a sign-in. Those of the same account keep its refresh token if the provider sent no other one. */
export function withRefreshToken(received: AccountTokens, former: AccountTokens | null): AccountTokens {
  const { account, tokens } = received
  const kept = former?.account === account ? former.tokens.refresh_token : undefined
  return { account, tokens: { ...(kept !== undefined && { refresh_token: kept }), ...tokens } }
}

/** Where the tokens of a service are kept. There is one for each value of `keep`. */
export interface TokenPlace {
  /** The leases of refresh tokens, shared by all who share the tokens. */
  readonly leases: Leases
  /** The tokens of a user, at one provider or at all of them. */
  list(userId: string, visit: TokenVisit, provider?: string): Promise<readonly FoundTokens[]>
  /**
   * Keeps the tokens of a session that starts, unless they are in the row of its account by now.
   * @returns the cookies to set
   */
  begin(userId: string, start: TokenStart, visit: TokenVisit): Promise<readonly ResponseCookie[]>
}

/** A session that starts. */
export interface TokenStart {
  readonly provider: string
  /** Null if the sign-in brought no tokens. */
  readonly received: AccountTokens | null
  /** The cookies of the session. */
  readonly started: readonly ResponseCookie[]
}

/** The tokens of one account. */
export interface FoundTokens {
  readonly key: AccountKey
  readonly vault: ClearableVault
  /** What keeps new tokens from being kept. Asked before a refresh. Default: nothing. */
  readonly findObstacle?: () => Promise<RefreshFailure | null>
}

export interface ClearableVault extends TokenVault {
  /** Removes the tokens and returns what they were. Null if there were none. */
  clear(): Promise<KeptTokens | null>
}

/** What a place is built with. */
export type PlaceContext = Pick<ActionContext, "cookieRules" | "log" | "providers" | "secrets" | "store">

/** A request, and the response to it. */
export interface TokenVisit {
  readonly cookies: CookieJar
  /** For the log. */
  readonly request: LogContext
  /** Undefined if the response cannot set cookies. */
  readonly writer?: CookieWriter | undefined
}

/** How long browsers and stores keep tokens: the longest lifetime of a cookie, RFC 6265bis section 5.5. */
export const keptSeconds: number = 400 * 24 * 60 * 60

/** Which account of a user. */
export interface WantedAccount extends TokenOwner {
  /** The user's id at the provider. Default: the first account. */
  readonly providerAccountId?: string | undefined
}

/** Whether an account of the user is the one that is asked for. */
export function isWanted(account: Omit<AccountKey, "userId">, { provider, providerAccountId }: WantedAccount): boolean {
  const isAny = providerAccountId === undefined
  return account.provider === provider && (isAny || account.providerAccountId === providerAccountId)
}

/** The tokens of one of the user's own accounts. */
export async function findTokens(
  place: TokenPlace,
  wanted: WantedAccount,
  visit: TokenVisit,
): Promise<FoundTokens | undefined> {
  return (await place.list(wanted.userId, visit, wanted.provider)).find(({ key }) => isWanted(key, wanted))
}

/** Whether the account is no longer linked to the user: it may be another user's by now. */
export async function findMissingLink(
  { provider, providerAccountId, userId }: AccountKey,
  { store }: Pick<PlaceContext, "store">,
): Promise<"no-account" | null> {
  const owner = store && (await store.getUserByAccount({ provider, providerAccountId }))
  return store && !isSameId(owner?.id, userId) ? "no-account" : null
}

/** Seals tokens for one place. */
export interface BoundSealer {
  seal(claims: SealedClaims, ttlSeconds: number): Awaitable<string>
  /** Null for a text that does not open, and for one of another place. */
  open(text: string): Awaitable<SealedClaims | null>
}

/**
 * Binds what is sealed to its place. All places of a kind share one key: a process remembers a few hundred keys, and one
 * for each user would displace the key of the sessions.
 * @param purpose The kind of place.
 * @param names What tells places of that kind apart, such as provider and user.
 */
export function bindSealer(sealer: Sealer, purpose: string, names: readonly string[]): BoundSealer {
  const owner = JSON.stringify(names)
  return {
    seal: (claims, ttlSeconds) => sealer.seal(purpose, { ...claims, owner }, ttlSeconds),
    open: (text) => andThen(sealer.open(purpose, text), (claims) => (claims?.["owner"] === owner ? claims : null)),
  }
}

/** Values by sealed texts. It drops the oldest one when it is full. */
export interface SealedMemory<Value> {
  get(text: string): Value | undefined
  set(text: string, value: Value): void
}

/** Characters at the end of a sealed text that tell it from others: its authentication tag. */
const tagLength = 43

/** The key of a text is its tag, since a map reads all characters of a key. The text is compared as a whole. */
export function createSealedMemory<Value>(capacity: number): SealedMemory<Value> {
  const kept = new BoundedMap<string, { readonly text: string; readonly value: Value }>(capacity)
  return {
    get(text) {
      const found = kept.get(text.slice(-tagLength))
      return found?.text === text ? found.value : undefined
    },
    set: (text, value) => void kept.set(text.slice(-tagLength), { text, value }),
  }
}

/** How often a sign-in tries to write its tokens while others write theirs. */
export const renewals = 5

/** Tokens in a store beside the database: those of one account for each user and provider, that of the last sign-in. */
export function createStorePlace(given: TokenStore, context: PlaceContext): TokenPlace {
  const store = toLoggedStore(given, context)
  const sealer = createSealer(context.secrets)

  async function find(owner: TokenOwner): Promise<FoundTokens | null> {
    const record = openRecord(owner, store, sealer)
    const first = await record.read()
    if (first === null) return null
    const key = { ...owner, providerAccountId: first.account }
    return { key, vault: createStoreVault(first, record), findObstacle: () => findMissingLink(key, context) }
  }

  return {
    leases: { take: store.takeLease, drop: async (lease) => void (await store.dropLease(lease)) },
    async list(userId, _, provider) {
      const ids = provider === undefined ? [...context.providers.keys()] : [provider]
      const all = await Promise.all(ids.map((id) => find({ provider: id, userId })))
      return all.filter((found) => found !== null)
    },
    async begin(userId, { provider, received }) {
      if (received === null) return []
      const record = openRecord({ provider, userId }, store, sealer)
      try {
        for (let n = 0; n < renewals; n++) {
          const former = await record.read()
          if (await record.write(former, withRefreshToken(received, former))) break
        }
      } catch {
        // The error is in the log. The sign-in goes on, and the app asks for another one when it needs a token.
      }
      return []
    },
  }
}

/** A value as it was read. */
interface ReadTokens extends AccountTokens {
  readonly text: string
}

/** The value of one user and provider. */
interface TokenRecord {
  /** Null if there is none that opens. */
  read(): Promise<ReadTokens | null>
  /** @param to Null removes it. */
  write(from: ReadTokens | null, to: AccountTokens | null): Promise<boolean>
}

function openRecord({ provider, userId }: TokenOwner, store: LoggedStore, sealer: Sealer): TokenRecord {
  const names = [provider, String(userId)]
  const bound = bindSealer(sealer, "token:store", names)
  const key = sha256Hex(`tokens ${JSON.stringify(names)}`)
  /** One that does not open, such as after its secret was removed: a sign-in has to replace it. */
  let unreadable: string | null = null
  return {
    async read() {
      const text = await store.get(await key)
      const claims = text === null ? null : await bound.open(text)
      unreadable = claims === null ? text : null
      if (text === null || claims === null) return null
      const { account, ...tokens } = claims
      // as: only `write` seals for this purpose.
      return { text, account: String(account), tokens: toKeptTokens(tokens as KeptTokens) }
    },
    async write(from, to) {
      const text = to && (await bound.seal({ ...to.tokens, account: to.account }, keptSeconds))
      const expires = new Date(systemClock() + keptSeconds * 1000)
      return store.replace(await key, { from: from?.text ?? unreadable, to: text, expires })
    },
  }
}

function createStoreVault(first: ReadTokens, record: TokenRecord): ClearableVault {
  const { account } = first
  let known: ReadTokens | null = first
  let last: ReadTokens = first
  /** Null if the user has signed in with another account since. */
  async function read(): Promise<ReadTokens | null> {
    const found = known ?? (await record.read())
    known = null
    if (found?.account !== account) return null
    last = found
    return found
  }
  return {
    read: async () => (await read())?.tokens ?? null,
    replace: async (from, tokens) => last.tokens.refresh_token === from && record.write(last, { account, tokens }),
    async clear() {
      for (let n = 0; n < renewals; n++) {
        const found = await read()
        if (found === null) return null
        if (await record.write(found, null)) return found.tokens
      }
      return null
    },
  }
}

/** The same store, whose errors are logged once and rethrown as `AdapterError`. */
type LoggedStore = {
  readonly [Name in keyof TokenStore]: (
    ...values: Parameters<TokenStore[Name]>
  ) => Promise<Awaited<ReturnType<TokenStore[Name]>>>
}

function toLoggedStore(given: TokenStore, { log }: PlaceContext): LoggedStore {
  async function call<T>(name: keyof TokenStore, work: () => Awaitable<T>, values: readonly unknown[]): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const failure = new AdapterError(`accessTokens.keep: ${name} failed`, cleanError(toError(error), values))
      log.error(failure)
      throw failure
    }
  }
  return {
    get: (...values) => call("get", () => given.get(...values), values),
    replace: (...values) => call("replace", () => given.replace(...values), values),
    takeLease: (...values) => call("takeLease", () => given.takeLease(...values), values),
    dropLease: (...values) => call("dropLease", () => given.dropLease(...values), values),
  }
}
