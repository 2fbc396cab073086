import type { CookieOption, CookiePurpose, ResponseCookie } from "../types/http.js"
import { type CookieJar, clearedCookie, encodeCookieValue, mostSessionChunks } from "./cookies.js"
import {
  type CookieScheme,
  contractCookies,
  maxCookieLength,
  type OwnCookie,
  type OwnCookieKind,
  ownCookies,
  ownNameStart,
  pageShares,
  type ResolvedCookies,
  toMailCookie,
  toOwnCookie,
  toTokenCookie,
} from "./own-cookies.js"

// Decides which of the service's cookies a browser keeps. Loaded when a browser has, or is to get, many.

/** What a kind of cookie may take of the budget. */
interface Share {
  /** Whether a dot and a suffix may follow the name: the number of a piece, the id of a flow or of a provider. */
  readonly isSeveral?: boolean
  /** Characters of one cookie in a request, name included. The service sets none that is longer. */
  readonly share: number
  /**
   * When it is given up so that the others fit: the lowest first, and of one number the oldest. Undefined: never, because
   * the service does not work without it, or because it is small.
   */
  readonly rank?: number
  /** Whether something begins with it that a reply must not give up again, such as a sign-in. */
  readonly isBeginning?: boolean
}

/** What every flow has. */
const flow: Share = { isSeveral: true, isBeginning: true, rank: 1, share: maxCookieLength }

/**
 * Of every cookie that the service sets.
 * @internal Exported for its test.
 */
export const shares: Readonly<Record<OwnCookieKind, Share>> = {
  sessionToken: { isSeveral: true, share: maxCookieLength },
  callbackUrl: { share: maxCookieLength, rank: 3 },
  csrfToken: { share: 384 },
  pkceCodeVerifier: flow,
  state: flow,
  nonce: flow,
  webauthnChallenge: flow,
  browser: { share: 128 },
  formPostBrowser: { share: 128 },
  completed: { share: 1024, rank: 2 },
  mail: flow,
  errorReference: { share: 256 },
  formValues: { share: pageShares.formValues, rank: 2 },
  formResult: { share: maxCookieLength, isBeginning: true, rank: 2 },
  lastProvider: { share: pageShares.lastProvider },
  held: { isSeveral: true, share: maxCookieLength, isBeginning: true, rank: 4 },
  setup: { share: 768, isBeginning: true, rank: 2 },
  codes: { share: maxCookieLength, isBeginning: true, rank: 4 },
  device: { share: 1024, rank: 7 },
  proof: { share: 2048, rank: 8 },
  tokens: { isSeveral: true, share: maxCookieLength, rank: 6 },
  hint: { share: maxCookieLength, rank: 5 },
  moved: { share: 1024, rank: 2 },
  leaving: { share: maxCookieLength, isBeginning: true, rank: 2 },
}

/** The cookies of a service, and how large they may be. */
export interface CookieRules extends CookieScheme {
  readonly cookies: ResolvedCookies
  /** Characters that all cookies of the service may have in a request. */
  readonly cookieBudget: number
}

/** The cookies that a browser sends, and those that a reply sets. */
export interface CookieChange {
  readonly jar: CookieJar
  readonly replied: readonly ResponseCookie[]
  /**
   * Path of the sign-in page or of the pages of passwords, if the request has their cookies. Default: the browser may have some
   * that are not seen.
   */
  readonly pagePath?: string | undefined
}

/** The cookies of a reply that fit. */
export interface FittedCookies {
  readonly cookies: readonly ResponseCookie[]
  /** Dropped cookies that the user or the app will miss. Flows in progress are not listed. */
  readonly leftOut: readonly OwnCookieKind[]
  /** Characters that are still too many. */
  readonly surplus: number
}

/**
 * Gives up cookies until the browser's next request has room for all of them, in the order of their rank: a browser that
 * sends more than its server accepts is answered with 431 everywhere, and cannot free itself.
 */
export function fitCookies(change: CookieChange, rules: CookieRules): FittedCookies {
  const kept = listKept(change, rules)
  const hidden = change.pagePath === undefined ? measureHidden(kept) : 0
  let surplus = kept.reduce((sum, { size }) => sum + size, hidden - rules.cookieBudget)
  const dropped = new Map<string, KeptCookie>()
  for (const group of toGroups(kept)) {
    // Anyone can send thousands of cookies, and must not be answered with as many.
    if (surplus <= 0 || change.replied.length + dropped.size >= maxSet) break
    for (const cookie of group) {
      dropped.set(cookie.name, cookie)
      surplus -= cookie.size
    }
  }
  const missed = [...dropped.values()].flatMap(({ kind, rank }) => (kind && rank >= leastMissed ? [kind] : []))
  const cleared = [...dropped.values()].map(({ name, kind }) =>
    clearedCookie({ name, options: findOptions(kind, change, rules) }),
  )
  const others = change.replied.filter(({ name }) => !dropped.has(name))
  return { cookies: [...others, ...cleared], leftOut: [...new Set(missed)], surplus: surplus - hidden }
}

/** Cookies of one response, from which on none is cleared. */
const maxSet = mostSessionChunks

/** Which cookie did not fit, and what an app changes so that it does. For the log. */
export function adviseOn(kind: OwnCookieKind): string {
  const change = advice[kind] ?? "Put less into the token that callbacks.jwt returns"
  return `The cookie ${allCookies[kind].name} was left out, or a part of it. ${change}`
}

const advice: Partial<Readonly<Record<OwnCookieKind, string>>> = {
  held: "Use an adapter with keepTemporary and takeTemporary",
  tokens: 'Use accessTokens({ keep: "account" }) or a token store',
  hint: "For providerLogout, let the provider send smaller ID tokens, or keep access tokens and sessions in a database",
}

/** Lower ranks are sign-ins in progress, and comfort. */
const leastMissed = shares.held.rank ?? Number.POSITIVE_INFINITY

/** The longest cookies of the sign-in page that a request for another path does not have. */
function measureHidden(kept: readonly KeptCookie[]): number {
  const seen = new Set(kept.map(({ kind }) => kind))
  return pageKinds.reduce((sum, kind) => sum + (seen.has(kind) ? 0 : pageShares[kind]), 0)
}

/**
 * Characters that are left for the cookies of a name, beside everything that is more important and what the user begins
 * next. What does not fit must not be set.
 */
export function findRoom(
  kind: "held" | "hint" | "tokens",
  name: string,
  change: CookieChange,
  rules: CookieRules,
): number {
  const { rank: least = Number.POSITIVE_INFINITY } = shares[kind]
  const counted = listKept(change, rules).filter(
    ({ name: other, rank }) => rank >= least && other !== name && !other.startsWith(`${name}.`),
  )
  return rules.cookieBudget - reserves[kind] - counted.reduce((sum, { size }) => sum + size, 0)
}

/** Characters that stay free: for a sign-in in progress; beside one that waits, for the challenge of its next step. */
const reserves = { held: 2 * 1024, hint: 4 * 1024, tokens: 4 * 1024 } as const

/** Characters of cookies in a request. */
export function measure(cookies: readonly Pick<ResponseCookie, "name" | "value">[]): number {
  return cookies.reduce((sum, { name, value }) => sum + sizeOf(name, value), 0)
}

function sizeOf(name: string, value: string): number {
  return name.length + encodeCookieValue(value).length + extra
}

/** The equals sign, and what separates two cookies. */
const extra = "=; ".length

/** A cookie of the service that the browser will have. */
interface KeptCookie {
  readonly name: string
  /** Undefined for one of another version, or one that a neighboring site planted. */
  readonly kind: OwnCookieKind | undefined
  readonly suffix: string
  readonly size: number
  /** Infinite: it is never given up. */
  readonly rank: number
  readonly isJunk: boolean
}

function listKept({ jar, replied }: CookieChange, rules: CookieRules): readonly KeptCookie[] {
  const sizes = new Map<string, number>()
  for (const name of jar.namesStarting("")) {
    if (isOwn(name, rules)) sizes.set(name, measure(jar.values(name).map((value) => ({ name, value }))))
  }
  for (const { name, value, options } of replied) {
    if (options.maxAge === 0) sizes.delete(name)
    else sizes.set(name, sizeOf(name, value))
  }
  const fresh = new Set(replied.map(({ name }) => name))
  return [...sizes].map(([name, size]) => {
    const { kind, suffix } = classify(name, rules)
    const facts = kind && shares[kind]
    const isFresh = fresh.has(name)
    const isJunk = !(isFresh || kind === "sessionToken") && (facts === undefined || size > facts.share + extra)
    // A challenge that has a suffix is one that was there before, under the name of an older one.
    const isNeeded = isFresh && (!facts || facts.isBeginning === true) && !(kind === "webauthnChallenge" && suffix)
    const rank = isNeeded ? undefined : isJunk ? 0 : facts?.rank
    return { name, kind, suffix, size, rank: rank ?? Number.POSITIVE_INFINITY, isJunk }
  })
}

/** What is given up together, the first first: the cookies of one flow, or the pieces of one value. */
function toGroups(kept: readonly KeptCookie[]): readonly (readonly KeptCookie[])[] {
  const groups = new Map<string, KeptCookie[]>()
  for (const cookie of kept) {
    if (cookie.rank === Number.POSITIVE_INFINITY) continue
    const key = toGroupKey(cookie)
    groups.set(key, [...(groups.get(key) ?? []), cookie])
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))).map(([, group]) => group)
}

/** More than a header can have. */
const largest = 999_999_999

/** Sorts by rank, then by age: the ids of flows begin with their time. Of junk, the largest comes first. */
function toGroupKey({ name, kind, suffix, size, rank, isJunk }: KeptCookie): string {
  if (isJunk) return `0 ${String(largest - size).padStart(9, "0")} ${name}`
  // Of one rank only: those of a flow have the same suffix. The challenge without one is the newest.
  if (kind && shares[kind].isSeveral && rank === 1)
    return `1 ${suffix === "" && kind === "webauthnChallenge" ? "~" : suffix}`
  return `${rank} ${kind} ${suffix.replace(piece, "")}`
}

const piece = /(?:^|\.)\d+$/
const prefixes = /^__(?:Host|Secure)-/

function isOwn(name: string, rules: CookieRules): boolean {
  return name.replace(prefixes, "").startsWith(ownNameStart) || classify(name, rules).kind !== undefined
}

interface Classified {
  readonly kind: OwnCookieKind | undefined
  /** What follows the name, after its dot. */
  readonly suffix: string
}

/** The kind of a cookie by its name. With its prefix: a neighboring site can plant one with another. */
function classify(name: string, rules: CookieRules): Classified {
  for (const kind of kinds) {
    const base = toBaseName(kind, rules)
    if (name === base) return { kind, suffix: "" }
    if (!shares[kind].isSeveral || !name.startsWith(`${base}.`)) continue
    const suffix = name.slice(base.length + 1)
    if (kind !== "sessionToken" || isChunkNumber(suffix)) return { kind, suffix }
  }
  return { kind: undefined, suffix: "" }
}

function toBaseName(kind: OwnCookieKind, { cookies: own, isSecure }: CookieRules): string {
  if (isPurpose(kind, own)) return own[kind].name
  if (kind === "tokens") return toTokenCookie(own).name
  if (kind === "mail") return toMailCookie(own).name
  const isOfFlows = kind === "browser" || kind === "formPostBrowser"
  return toOwnCookie(allCookies[kind], { isSecure: isOfFlows ? own.state.options.secure === true : isSecure }).name
}

const allCookies: Readonly<Record<OwnCookieKind, OwnCookie>> = { ...contractCookies, ...ownCookies }
// as: the keys of literal records.
const kinds = Object.keys(allCookies) as OwnCookieKind[]
const pageKinds = Object.keys(pageShares) as (keyof typeof pageShares)[]

function isPurpose(kind: OwnCookieKind, own: ResolvedCookies): kind is CookiePurpose {
  return Object.hasOwn(own, kind)
}

function isChunkNumber(suffix: string): boolean {
  return /^(?:0|[1-9]\d?)$/.test(suffix) && Number(suffix) < mostSessionChunks
}

/** The attributes with which a cookie is cleared. */
function findOptions(
  kind: OwnCookieKind | undefined,
  { pagePath }: CookieChange,
  rules: CookieRules,
): CookieOption["options"] {
  const { cookies: own } = rules
  const { options } = toOwnCookie(allCookies[kind ?? "hint"], rules)
  if (kind === undefined) return options
  if (isPurpose(kind, own)) return own[kind].options
  if (kind === "tokens") return toTokenCookie(own).options
  return pagePath !== undefined && pageKinds.some((each) => each === kind) ? { ...options, path: pagePath } : options
}
