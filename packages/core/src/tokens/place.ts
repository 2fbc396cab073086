import type { ActionContext } from "../actions/context.js"
import type { CookieJar } from "../http/cookies.js"
import type { LogContext } from "../log/audit-event.js"
import { BoundedMap } from "../runtime/cache.js"
import { isSameId } from "../runtime/id.js"
import type { AdapterAccount } from "../types/adapter.js"
import type { Awaitable, Clock } from "../types/basics.js"
import type { ResponseCookie } from "../types/http.js"
import type { KeptTokens, Leases, RefreshFailure, TokenVault } from "./keeper.js"

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
export type PlaceContext = Pick<ActionContext, "cookies" | "log" | "providers" | "secrets" | "store">

/** A request, and the response to it. */
export interface TokenVisit {
  readonly cookies: CookieJar
  /** For the log. */
  readonly request: LogContext
  /** Undefined if the response cannot set cookies. */
  readonly writer?: CookieWriter | undefined
}

/** The response to a request, as far as it can set cookies. */
export interface CookieWriter {
  /** Whether it still can. */
  canWrite(): Awaitable<boolean>
  /** @throws Error if it cannot */
  write(cookies: readonly ResponseCookie[]): Awaitable<void>
}

/** How long browsers and stores keep tokens: the longest lifetime of a cookie, RFC 6265bis section 5.5. */
export const keptSeconds: number = 400 * 24 * 60 * 60

/** Which account of a user. */
export interface WantedAccount extends TokenOwner {
  /** The user's id at the provider. Default: the first account. */
  readonly providerAccountId?: string
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

/** Leases of the callers in one process. */
export function createLocalLeases(clock: Clock): Leases {
  const held = new BoundedMap<string, { readonly holder: string; readonly untilMs: number }>(10_000)
  return {
    async take({ id, holder, until }) {
      const current = held.get(id)
      if (current && current.holder !== holder && current.untilMs > clock()) return false
      held.set(id, { holder, untilMs: until.valueOf() })
      return true
    },
    async drop({ id, holder }) {
      if (held.get(id)?.holder === holder) held.delete(id)
    },
  }
}
