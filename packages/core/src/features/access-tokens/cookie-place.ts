import { sha256Hex } from "../../crypto/hash.js"
import { TokenTooLong } from "../../crypto/jwt.js"
import { createSealer, type SealedClaims } from "../../crypto/seal.js"
import { AuthError } from "../../errors/auth-error.js"
import { adviseOn, findRoom, fitCookies, measure } from "../../http/cookie-budget.js"
import { type CookieJar, clearedCookie, PlainCookie } from "../../http/cookies.js"
import { ownCookies, toTokenCookie } from "../../http/own-cookies.js"
import { BoundedMap, onePerProcess } from "../../runtime/cache.js"
import { systemClock } from "../../runtime/promise.js"
import { clearSessionCookies, readSessionCookies, SessionTooLarge, writeSessionCookies } from "../../session/cookies.js"
import type { Clock } from "../../types/basics.js"
import type { CookieOption, ResponseCookie } from "../../types/http.js"
import { type FormerIdToken, type KeptTokens, type Leases, readIdToken, toKeptTokens } from "./keeper.js"
import {
  type AccountTokens,
  bindSealer,
  type ClearableVault,
  type FoundTokens,
  findMissingLink,
  keptSeconds,
  type PlaceContext,
  type TokenOwner,
  type TokenPlace,
  type TokenStart,
  type TokenVisit,
  withRefreshToken,
} from "./place.js"

/** How many providers a browser keeps the tokens of. */
const maxProviders = 2
/** How many cookies the tokens of a provider may be split into. */
const maxChunks = 4
/** How long a process remembers what followed the tokens of an old cookie. */
const successorMs = 60_000
const maxSuccessors = 10_000

/** What a cookie holds: no ID token, which alone can be larger than the others and is kept for the sign-out at its provider. */
interface CookieTokens extends AccountTokens, FormerIdToken {
  /** Higher for newer tokens, on all machines: milliseconds since 1970, or one more than before. */
  readonly generation: number
}

/**
 * Tokens in cookies of their own, one for each provider. They are sealed for their provider and the user of the session.
 * Only a sign-in and the response that refreshed them set them: one that is late must not overwrite newer tokens. So each
 * process remembers what followed the tokens that it used, for requests that still have the old cookie.
 */
export function createCookiePlace(context: PlaceContext): TokenPlace {
  async function find(owner: TokenOwner, visit: TokenVisit): Promise<FoundTokens | null> {
    const cookie = openCookie(owner, visit, context)
    const first = await cookie.read()
    if (first === null) return null
    const key = { ...owner, providerAccountId: first.account }
    return {
      key,
      vault: createCookieVault(first, cookie, { ...owner, secret: context.secrets[0] }, visit),
      findObstacle: async () => ((await visit.writer?.canWrite()) ? findMissingLink(key, context) : "cannot-write"),
    }
  }

  return {
    leases: openLeases(),
    async list(userId, visit, provider) {
      const ids = provider === undefined ? [...context.providers.keys()] : [provider]
      const all = await Promise.all(ids.map((id) => find({ provider: id, userId }, visit)))
      return all.filter((found) => found !== null)
    },
    async begin(userId, start, visit) {
      const others = await findOthers(userId, start, visit, context)
      const { provider, received } = start
      if (received === null) return others.foreign
      const cookie = openCookie({ provider, userId }, visit, context)
      if (others.providers >= maxProviders) {
        cookie.report(`The browser keeps those of ${maxProviders} other providers`)
        return [...others.foreign, ...cookie.clear()]
      }
      const former = await cookie.read()
      const { account, tokens } = withRefreshToken(received, former)
      const next = { account, ...withoutIdToken(tokens, null), generation: toGeneration(former) }
      return [...others.foreign, ...(await cookie.write(next, [...start.started, ...others.foreign]))]
    },
  }
}

/** The cookies that clear all tokens of a request, those of providers that the app no longer has included. */
export function clearAllTokens(jar: CookieJar, { cookieRules }: PlaceContext): readonly ResponseCookie[] {
  const { name, options } = toTokenCookie(cookieRules.cookies)
  return jar.namesStarting(`${name}.`).map((each) => clearedCookie({ name: each, options }))
}

/** The other cookies that a browser has when a session starts. */
interface Others {
  /** How many other providers the user has tokens of. */
  readonly providers: number
  /** Clears the tokens of another user, whose session was here before. */
  readonly foreign: readonly ResponseCookie[]
}

async function findOthers(
  userId: string,
  { provider: own, received }: TokenStart,
  visit: TokenVisit,
  context: PlaceContext,
): Promise<Others> {
  const foreign: ResponseCookie[] = []
  let providers = 0
  for (const provider of context.providers.keys()) {
    const cookie = openCookie({ provider, userId }, visit, context)
    const cookies = cookie.clear()
    if (cookies.length === 0 || (provider === own && received !== null)) continue
    if (await cookie.read()) providers++
    else foreign.push(...cookies)
  }
  return { providers, foreign }
}

function createCookieVault(
  first: CookieTokens,
  cookie: TokenCookie,
  owner: OwnerHere,
  { writer }: TokenVisit,
): ClearableVault {
  const findNewest = () => openSuccessors().follow(first, owner)
  return {
    read: async () => (await findNewest()).tokens,
    readIdToken: findNewest,
    async replace(from, tokens) {
      const current = await findNewest()
      if (current.tokens.refresh_token !== from) return false
      const { account } = current
      const next = { account, ...withoutIdToken(tokens, current), generation: toGeneration(current) }
      await writer?.write(cookie.fit(await cookie.write(next)))
      await openSuccessors().remember(current, next, owner)
      return true
    },
    async clear() {
      const { tokens } = await findNewest()
      await writer?.write(cookie.clear())
      return tokens
    },
  }
}

/** The owner of tokens, at one of the services of this process. */
interface OwnerHere extends TokenOwner {
  /** Of the service. */
  readonly secret: string | undefined
}

/** What followed the tokens that this process used. Holds values only, never promises. */
interface Successors {
  /** The newest tokens that are known. */
  follow(tokens: CookieTokens, owner: OwnerHere): Promise<CookieTokens>
  remember(former: CookieTokens, next: CookieTokens, owner: OwnerHere): Promise<void>
}

function createSuccessors(clock: Clock): Successors {
  const known = new BoundedMap<string, { readonly next: CookieTokens; readonly untilMs: number }>(maxSuccessors)
  const toKey = ({ account, tokens }: CookieTokens, { secret, provider, userId }: OwnerHere) =>
    sha256Hex(JSON.stringify([secret, provider, String(userId), account, tokens.refresh_token]))
  return {
    async follow(tokens, owner) {
      let newest = tokens
      // The generations rise, also for providers that keep the refresh token.
      for (;;) {
        const found = known.get(await toKey(newest, owner))
        if (!found || found.untilMs <= clock() || found.next.generation <= newest.generation) return newest
        newest = found.next
      }
    },
    async remember(former, next, owner) {
      for (const [key, { untilMs }] of known) {
        if (untilMs > clock()) break
        known.delete(key)
      }
      known.set(await toKey(former, owner), { next, untilMs: clock() + successorMs })
    },
  }
}

/** One memory for the whole process: some apps pass a new configuration with each request. */
const openSuccessors = onePerProcess("successors", 1, () => createSuccessors(systemClock))
const openLeases = onePerProcess("leases", 1, () => createLocalLeases(systemClock))

/** Tokens, and what remains of their ID token. */
function withoutIdToken(
  { id_token, ...tokens }: KeptTokens,
  former: FormerIdToken | null,
): FormerIdToken & Pick<AccountTokens, "tokens"> {
  const { subject, isVerifiedByKeys } = former && id_token === undefined ? former : readIdToken(id_token)
  return { tokens, subject, isVerifiedByKeys }
}

function toGeneration(former: CookieTokens | null): number {
  return Math.max((former?.generation ?? 0) + 1, systemClock())
}

/** The cookies of one user and provider, in one request. */
interface TokenCookie {
  /** The newest tokens that open for this user. */
  read(): Promise<CookieTokens | null>
  /**
   * The cookies that keep the tokens. Those that are too large are logged, and the cookies cleared: nothing is cut off.
   * @param replied The cookies that the response sets besides. Default: none.
   */
  write(tokens: CookieTokens, replied?: readonly ResponseCookie[]): Promise<readonly ResponseCookie[]>
  /** The same cookies, and those that are cleared so that they fit, for a response of the app. */
  fit(written: readonly ResponseCookie[]): readonly ResponseCookie[]
  /** The cookies that remove the tokens, as far as the request has any. */
  clear(): readonly ResponseCookie[]
  /** Logs why the tokens were not kept. */
  report(why: string): void
}

function openCookie(owner: TokenOwner, visit: TokenVisit, context: PlaceContext): TokenCookie {
  const { provider, userId } = owner
  const { cookies: jar, request } = visit
  const sealer = bindSealer(createSealer(context.secrets), ownCookies.tokens.seal, [provider, String(userId)])
  const { cookieRules: rules } = context
  const cookie = toCookie(provider, context)
  const clear = () => clearSessionCookies(jar, cookie)

  function report(why: string): void {
    const message = `The user's tokens were not kept. ${why}. ${adviseOn("tokens")}`
    context.log.error(new AuthError(message, { provider }), request)
  }

  return {
    clear,
    report,
    async read() {
      const values = readSessionCookies(jar, cookie.name)
      const opened = await Promise.all(values.map((value) => sealer.open(value)))
      const found = opened.flatMap((claims) => (claims ? [toCookieTokens(claims)] : []))
      return found.toSorted((one, other) => other.generation - one.generation)[0] ?? null
    },
    fit: (written) => fitCookies({ jar, replied: written }, rules).cookies,
    async write({ tokens, ...facts }, replied = []) {
      try {
        const value = await sealer.seal({ ...tokens, ...facts }, keptSeconds)
        const written = writeSessionCookies(new PlainCookie({ ...cookie, value }), jar, maxChunks)
        const room = findRoom("tokens", cookie.name, { jar, replied }, rules)
        if (measure(written) > room) throw new TokenTooLong()
        return written
      } catch (error) {
        if (!(error instanceof TokenTooLong || error instanceof SessionTooLarge)) throw error
        report("They are too large for the cookies that a browser can send")
        return clear()
      }
    },
  }
}

function toCookieTokens({ account, generation, subject, isVerifiedByKeys, ...claims }: SealedClaims): CookieTokens {
  // as: only `write` seals for this purpose.
  const tokens = toKeptTokens(claims as KeptTokens)
  const former = {
    subject: typeof subject === "string" ? subject : undefined,
    isVerifiedByKeys: isVerifiedByKeys === true,
  }
  return { account: String(account), generation: Number(generation), ...withoutIdToken(tokens, former) }
}

function toCookie(provider: string, { cookieRules }: PlaceContext): CookieOption {
  const { name, options } = toTokenCookie(cookieRules.cookies)
  // A dot begins the number of a chunk, and ids may have dots.
  return { name: `${name}.${provider.replaceAll(".", "!")}`, options: { ...options, maxAge: keptSeconds } }
}

/** Leases of the callers in one process. */
function createLocalLeases(clock: Clock): Leases {
  const held = new BoundedMap<string, { readonly holder: string; readonly sinceMs: number; readonly untilMs: number }>(
    10_000,
  )
  return {
    async take({ id, holder, until }) {
      const [current, nowMs] = [held.get(id), clock()]
      // One from the future is from before the clock was set back.
      const isHeld = current !== undefined && current.sinceMs <= nowMs && current.untilMs > nowMs
      if (isHeld && current.holder !== holder) return false
      held.set(id, { holder, sinceMs: nowMs, untilMs: until.valueOf() })
      return true
    },
    async drop({ id, holder }) {
      if (held.get(id)?.holder === holder) held.delete(id)
    },
  }
}
