import { sha256Hex } from "../../crypto/hash.js"
import { randomId } from "../../crypto/random.js"
import { isSecretAlgorithm, parseSignedToken } from "../../oauth/jws.js"
import { BoundedMap } from "../../runtime/cache.js"
import type { Clock } from "../../types/basics.js"
import type { TokenSet } from "../../types/user.js"

/** The tokens of one linked account, decrypted. */
export interface KeptTokens
  extends Pick<TokenSet, "access_token" | "refresh_token" | "expires_at" | "scope" | "token_type" | "id_token"> {
  /** Seconds that access tokens of this account live, as the provider said last. */
  lifetime?: number
}

/** A shorter rest is that of a sign-in that waited, such as for its second factor. */
const shortestLifetime = 60

/** New tokens, with the lifetime that follows from their expiry. */
export function withLifetime(tokens: KeptTokens, nowMs: number): KeptTokens {
  const lifetime = (tokens.expires_at ?? 0) - Math.floor(nowMs / 1000)
  return lifetime < shortestLifetime ? tokens : { ...tokens, lifetime }
}

/** The fields of a token set that are kept fresh. */
export function toKeptTokens({
  access_token,
  refresh_token,
  id_token,
  scope,
  token_type,
  expires_at,
  lifetime,
}: KeptTokens): KeptTokens {
  return {
    ...(access_token !== undefined && { access_token }),
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
    ...(scope !== undefined && { scope }),
    ...(token_type !== undefined && { token_type }),
    ...(expires_at !== undefined && { expires_at }),
    ...(lifetime !== undefined && { lifetime }),
  }
}

/** Where the tokens of one account are kept. */
export interface TokenVault {
  /** Null if the account is not linked. */
  read(): Promise<KeptTokens | null>
  /** Like `read`, without what a token that is still good does not need. Default: `read`. */
  peek?(): Promise<KeptTokens | null>
  /** What the ID token of the sign-in says, where the token itself is not kept. Default: that of `read`. */
  readIdToken?(): Promise<FormerIdToken>
  /** Writes the tokens if the kept refresh token is still `from`. */
  replace(from: string, tokens: KeptTokens): Promise<boolean>
}

/** The right to refresh a token, which one caller has across all processes. */
export interface Leases {
  take(lease: { readonly id: string; readonly holder: string; readonly until: Date }): Promise<boolean>
  drop(lease: { readonly id: string; readonly holder: string }): Promise<void>
}

/**
 * The result of one call to a provider. `refused`: the refresh token is not valid, RFC 6749 section 5.2. `unreachable`:
 * the provider did not use the token (429, 5xx, no connection). `misconfigured`: it did not accept the request or the
 * client. `lost`: it may have used the token, but its answer is missing.
 */
export type RefreshResult =
  | { readonly kind: "refreshed"; readonly tokens: KeptTokens }
  | { readonly kind: "refused" | "misconfigured" | "unreachable" | "lost"; readonly error: Error }

export type FailedRefresh = Exclude<RefreshResult, { readonly kind: "refreshed" }>

/** Why no access token can be returned. */
export type RefreshFailure =
  | "no-account"
  | "no-refresh-token"
  | "refused"
  | "misconfigured"
  | "unreachable"
  | "cannot-write"

/** An access token that lives long enough, or the reason why there is none. */
export type Kept = { readonly tokens: KeptTokens } | FailedKeeping

interface FailedKeeping {
  readonly failure: RefreshFailure
  /** Absent if the provider was not asked: with `unreachable`, another caller has not finished its refresh. */
  readonly error?: Error
  /** With `unreachable`: the provider may have answered. */
  readonly because?: "lost"
}

interface KeeperDeps {
  readonly leases: Leases
  readonly memory: RefreshMemory
  /** Of the service: others in this process have results of their own. */
  readonly secret: string
  readonly clock: Clock
  /** Resolves after some milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
}

/** What one caller asks for. */
export interface Keeping {
  readonly vault: TokenVault
  /** Identifies the account. The refresh token alone does not: a provider that an attacker runs may issue the same one. */
  readonly owner: readonly string[]
  /** Calls the provider. Never throws for what the provider does. Ends after at most 10 seconds. */
  readonly refresh: (refreshToken: string) => Promise<RefreshResult>
  /** Why new tokens could not be kept, asked before a refresh. Default: they can. */
  readonly findObstacle?: () => Promise<RefreshFailure | null>
  /** How long the access token has to live, in seconds. */
  readonly secondsLeft: number
  /** An access token that is not good enough, however long it lives. */
  readonly not?: string | undefined
  /** Seconds that access tokens live if the provider never said. Undefined: until they are refused. */
  readonly usualLifetime?: number | undefined
  /** Told when this call has refreshed the tokens. */
  readonly onRefreshed: () => Promise<void>
  /** Told when the provider refused the refresh token: the person has to sign in again. */
  readonly onLost: () => Promise<void>
}

/** Longer than a call to the provider: the holder is done by then, or gone. */
const leaseMs = 15_000
/** How long a call to the provider takes at most. */
export const callMs: number = 10_000
/** How long a caller waits for another one's result. */
const patienceMs = 10_000
const firstWaitMs = 50
const longestWaitMs = 400
/** How long a failure is remembered, so that those who wait do not each call a provider that is down. */
const failureMemoryMs = 5_000
/** How long the successor of a refresh token is remembered, or that its provider refused it. */
const answerMemoryMs = 60_000
const capacity = 10_000

/**
 * Keeps access tokens fresh: however many callers and processes ask at once, each refresh token is used once, and all
 * get its successor. Providers that rotate refresh tokens (RFC 9700 section 4.14) treat a second use as theft.
 *
 * Remembers settled results only. A promise of one request must not be awaited by another one on some edge runtimes.
 */
export interface Keeper {
  keep(keeping: Keeping): Promise<Kept>
}

/** The recent results of refresh tokens in this process, by the service, the account and the token that was used. */
export interface RefreshMemory {
  get(key: string): Settled | undefined
  set(key: string, settled: Settled): void
}

interface Settled {
  readonly result: Kept
  readonly untilMs: number
  /** New tokens that the store failed to take. The next caller writes them. */
  readonly unwritten: KeptTokens | undefined
}

export function createKeeper(deps: KeeperDeps): Keeper {
  const results = createResults(deps)

  async function keep(keeping: Keeping): Promise<Kept> {
    const { vault, secondsLeft, not } = keeping
    const orServe = (tokens: KeptTokens, result: Kept) =>
      tokens.access_token === not ? result : orOld(tokens, result, deps.clock)
    const first = await (vault.peek ?? vault.read)()
    if (first !== null && first.access_token !== not && livesFor(first, secondsLeft, deps.clock))
      return { tokens: first }
    const kept = vault.peek ? await vault.read() : first
    if (kept === null) return { failure: "no-account" }
    const { refresh_token: from } = kept
    if (from === undefined) return orServe(kept, { failure: "no-refresh-token" })
    const failure = (await keeping.findObstacle?.()) ?? null
    if (failure !== null) return orServe(kept, { failure })
    const id = `refresh:${await sha256Hex(JSON.stringify([...keeping.owner, from]))}`
    const key = await sha256Hex(JSON.stringify([deps.secret, id]))
    return orServe(kept, await race({ id, key, from, kept, keeping }))
  }

  /** Refreshes, or waits for the caller who does. */
  async function race(turn: Turn): Promise<Kept> {
    const { keeping } = turn
    const holder = randomId(22)
    const startMs = deps.clock()
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      const known = await results.recall(turn)
      if (known) return known
      const refreshed = await refreshAlone(turn, holder)
      if (refreshed) return refreshed
      if (Math.abs(deps.clock() - startMs) >= patienceMs) return { failure: "unreachable" } // Also after a set-back.
      await deps.wait(waitMs)
      const changed = await findChange(turn, keeping.vault)
      if (changed) return changed
    }
  }

  /** Null if another caller has the lease, or if the store was so slow that it would end before the call does. */
  async function refreshAlone(turn: Turn, holder: string): Promise<Kept | null> {
    const { id, from, keeping } = turn
    const untilMs = deps.clock() + leaseMs
    if (!(await deps.leases.take({ id, holder, until: new Date(untilMs) }))) return null
    // Another caller may have finished between the first look and the lease.
    const earlier = (await results.recall(turn)) ?? (await findChange(turn, keeping.vault))
    if (earlier) {
      await deps.leases.drop({ id, holder })
      return earlier
    }
    if (deps.clock() + callMs > untilMs) return null
    const result = await keeping.refresh(from)
    const outcome = await settle(turn, result, { results, clock: deps.clock })
    // After a lost answer, or with tokens that are not stored yet, the lease runs out by itself: the next call may end the
    // whole family of tokens.
    if (result.kind !== "lost" && !results.hasUnwritten(turn.key)) await deps.leases.drop({ id, holder })
    return outcome
  }

  return { keep }
}

/** Returns the old access token instead of a failure until it expires, unless its account was unlinked. */
function orOld(kept: KeptTokens, result: Kept, clock: Clock): Kept {
  const isMissing = "failure" in result && result.failure !== "no-account"
  return isMissing && livesFor(kept, 0, clock) ? { tokens: kept } : result
}

/** The recent results of a service. */
interface Results {
  /** The remembered result for a turn, if the caller does not know it yet. */
  recall(turn: Turn): Promise<Kept | undefined>
  remember(key: string, result: Kept, unwritten?: KeptTokens): Kept
  /** Whether there are new tokens that the store failed to take. */
  hasUnwritten(key: string): boolean
  /** Writes new tokens. They are served even if the store fails, since the old refresh token is used up. */
  save(turn: Turn, tokens: KeptTokens): Promise<Kept>
}

export function createRefreshMemory(): RefreshMemory {
  const kept = new BoundedMap<string, Settled>(capacity)
  return { get: (key) => kept.get(key), set: (key, settled) => void kept.set(key, settled) }
}

function createResults({ clock, memory }: Pick<KeeperDeps, "clock" | "memory">): Results {
  const results: Results = {
    async recall(turn) {
      const found = memory.get(turn.key)
      if (!found) return undefined
      const { result, unwritten } = found
      const leftMs = found.untilMs - clock()
      // More is left if the clock was set back.
      if (leftMs <= 0 || (!unwritten && leftMs > toMemoryMs(result))) return undefined
      if (unwritten) return results.save(turn, unwritten)
      // Providers that do not rotate keep the refresh token, so the remembered tokens may be those that were just read.
      return "failure" in result || isChanged(result.tokens, turn) ? result : undefined
    },
    remember(key, result, unwritten) {
      memory.set(key, { result, untilMs: clock() + toMemoryMs(result), unwritten })
      return result
    },
    hasUnwritten: (key) => memory.get(key)?.unwritten !== undefined,
    async save({ key, from, keeping }, tokens) {
      try {
        const isWritten = await keeping.vault.replace(from, tokens)
        const current = isWritten ? tokens : await keeping.vault.read()
        // The account was unlinked during the refresh.
        if (current === null) return { failure: "no-account" }
        // A sign-in may have written its own tokens during the refresh. They are newer; the refreshed ones are valid too.
        return results.remember(key, { tokens: livesFor(current, 0, clock) ? current : tokens })
      } catch {
        // The store has logged its error.
        return results.remember(key, { tokens }, tokens)
      }
    },
  }
  return results
}

function toMemoryMs(result: Kept): number {
  const isAnswer = "tokens" in result || result.failure === "refused"
  return isAnswer ? answerMemoryMs : failureMemoryMs
}

/** One refresh token that is due. */
interface Turn {
  /** The hash of the account and its refresh token, as the id of the lease. */
  readonly id: string
  /** The hash of the id and the service's secret. Code that replaces the shared memory's methods learns no secret. */
  readonly key: string
  readonly from: string
  readonly kept: KeptTokens
  readonly keeping: Keeping
}

/** New tokens. Those without an expiry live as long as the former ones, or as those of their provider usually do. */
function withExpiry({ kept, keeping }: Turn, received: KeptTokens, clock: Clock): KeptTokens {
  const { expires_at: _, ...others } = kept
  const tokens = { ...others, ...withLifetime(received, clock()) }
  const lifetime = tokens.lifetime ?? keeping.usualLifetime
  if (tokens.expires_at !== undefined || lifetime === undefined) return tokens
  return { ...tokens, expires_at: Math.floor(clock() / 1000) + lifetime }
}

interface Settling {
  readonly results: Results
  readonly clock: Clock
}

/** Keeps the new tokens, or finds out what a failure means. */
async function settle(turn: Turn, result: RefreshResult, { results, clock }: Settling): Promise<Kept> {
  const { vault, onRefreshed, onLost } = turn.keeping
  if (result.kind === "refreshed") {
    const saved = await results.save(turn, withExpiry(turn, result.tokens, clock))
    if ("tokens" in saved) await onRefreshed()
    return saved
  }
  const changed = await findChange(turn, vault)
  if (changed) return changed
  if (result.kind === "refused") await onLost()
  return results.remember(turn.key, toFailure(result))
}

/** The tokens that another caller has written meanwhile. */
async function findChange(turn: Turn, vault: TokenVault): Promise<Kept | null> {
  const current = await vault.read()
  if (current === null) return { failure: "no-account" }
  return isChanged(current, turn) ? { tokens: current } : null
}

function isChanged(current: KeptTokens, { from, kept }: Turn): boolean {
  const { refresh_token, expires_at, access_token } = current
  return refresh_token !== from || expires_at !== kept.expires_at || access_token !== kept.access_token
}

function toFailure({ kind, error }: FailedRefresh): Kept {
  return kind === "lost" ? { failure: "unreachable", because: kind, error } : { failure: kind, error }
}

/** Whether the access token is valid for this many more seconds. One without an expiry counts as valid. */
function livesFor({ access_token, expires_at }: KeptTokens, seconds: number, clock: Clock): boolean {
  if (access_token === undefined) return false
  return expires_at === undefined || expires_at * 1000 > clock() + seconds * 1000
}

/** What the stored ID token, which was verified before it was stored, says about the one of a refresh. */
export interface FormerIdToken {
  /** Undefined without one. */
  readonly subject: string | undefined
  /** Whether its signature was verified with the keys of the provider. */
  readonly isVerifiedByKeys: boolean
}

export function readIdToken(idToken: string | undefined): FormerIdToken {
  if (idToken === undefined) return { subject: undefined, isVerifiedByKeys: false }
  try {
    const { header, claims } = parseSignedToken(idToken)
    const subject = typeof claims["sub"] === "string" ? claims["sub"] : undefined
    return { subject, isVerifiedByKeys: !isSecretAlgorithm(String(header["alg"])) }
  } catch {
    return { subject: undefined, isVerifiedByKeys: false }
  }
}
