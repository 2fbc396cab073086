import type { AnsweredExchange, Exchange } from "./exchange.js"
import type {
  AppFacts,
  AreaFacts,
  Ending,
  FactorFacts,
  FlowFacts,
  HoldFacts,
  LeaseFacts,
  LogoutTokenFacts,
  MailFacts,
  NativeFacts,
  PasswordFacts,
  Presentation,
  RecordFacts,
  RecoveryFacts,
  SessionFacts,
  UserFacts,
} from "./facts.js"
import type { Person } from "./people.js"
import type { RefreshToken } from "./provider-tokens.js"
import type { VisitorBrowser } from "./visitor-browser.js"

/** A broken promise of the service. */
export interface Violation {
  /** Name of the invariant. */
  readonly rule: string
  /** What happened, in a sentence. */
  readonly sentence: string
}

/** An invariant that each answered request must keep. */
export interface ExchangeRule {
  readonly rule: string
  /** Describes how the exchange broke the rule. Null if it did not. */
  readonly findFault: (model: Model, exchange: AnsweredExchange) => string | null
}

/** What the adapter can do, on which promises of the service depend. */
export interface StorePromises {
  /** Without it, each process remembers only what it completed itself. */
  readonly hasConsumeOnce: boolean
  /** Without it, the owner of an address may get the user that someone else created with it. SECURITY.md says so. */
  readonly hasVerifiedEmails: boolean
  /** Whether the host keeps the tokens of providers fresh. */
  readonly keepsTokens: boolean
  /** Whether a mailed link only shows its code in a browser that did not ask for it. */
  readonly isLinkClosed: boolean
  /** Whether an account is only added to a user who has just signed in. With second factors, the user's own decide. */
  readonly vetsAccounts: boolean
  /** Whether everyone signs in with two factors. */
  readonly demandsTwo: boolean
  /** Null if sessions are not tracked. */
  readonly tracking: TrackingPromises | null
}

interface TrackingPromises {
  /** How long an ended stateless session may be believed. */
  readonly boundMs: number
  /** How many sessions a user may have. */
  readonly maxPerUser: number
}

/** What is true outside of the service: who controls what, and who meant what. */
export interface Model {
  readonly promises: StorePromises
  /** The time of the world. */
  now(): number
  readonly users: Map<string, UserFacts>
  /** By `provider subject`: the user to whom an account is linked. */
  readonly accounts: Map<string, string>
  /** By id, as stores keep it: whose device made a passkey. */
  readonly passkeyOwners: Map<string, Person>
  /** By challenge: the user who was signed in when a passkey was asked for. */
  readonly challenges: Map<string, string | null>
  /** Answers of devices, as they are sent, and who made them. */
  readonly assertions: Map<string, Person>
  /** By id: the user to whom a passkey belongs. */
  readonly passkeys: Map<string, string>
  /** By the value of the cookie. */
  readonly sessions: Map<string, SessionFacts>
  /** By `sid`: how a stateless session was ended, by the host or with its record. */
  readonly revoked: Map<string, Ending>
  /** The records of tracked sessions, by id. */
  readonly records: Map<string, RecordFacts>
  /** By the token. */
  readonly logoutTokens: Map<string, LogoutTokenFacts>
  /** By `state`. */
  readonly flows: Map<string, FlowFacts>
  readonly mails: MailFacts[]
  /** `provider address` of the mails that each browser asked for, also of those that were not sent. */
  readonly askedMails: Map<VisitorBrowser, Set<string>>
  /** By the cookie that keeps a mail in the browser that asked, as `name=value`. */
  readonly mailCookies: Map<string, MailFacts>
  /** By provider, purpose and address: when a mail was last sent again, by what its request noted in the store, and answered. */
  readonly resendings: Map<string, { readonly firstMs: number; readonly lastMs: number; readonly endMs: number }>
  /** By the path, the flow cookies of a browser and the flow that it named: how many codes were answered as wrong. */
  readonly wrongGuesses: Map<string, number>
  /** By `person way`: the user whom a person reached by a way to sign in, which must lead there again. */
  readonly reached: Map<string, string>
  /** Answers of devices that signed someone in, and the instances that accepted them. */
  readonly usedAssertions: Map<string, readonly number[]>
  /** Users of others as whom a person acts without a fault of the service: see `mislead`. */
  readonly misled: Map<Person, Set<string>>
  /** By user id, where the host uses the built-in passwords. */
  readonly passwords: Map<string, PasswordFacts>
  /** Every password that was ever chosen, and who chose it. */
  readonly chosenPasswords: Map<string, Person>
  /** Passwords that users had before. */
  readonly formerPasswords: Set<string>
  /** Second factors by id. */
  readonly factors: Map<string, FactorFacts>
  /** By the value of the cookie. */
  readonly holds: Map<string, HoldFacts>
  /** By user id: the last request that ended all sessions, from its arrival to its answer. */
  readonly waitsEnded: Map<string, { readonly fromMs: number; readonly untilMs: number }>
  readonly recoveryCodes: Map<string, RecoveryFacts>
  /** Authenticator apps that were set up or only begun, by ticket. */
  readonly apps: Map<string, AppFacts>
  /** When users last signed in, by browser and id. */
  readonly lastProofs: Map<VisitorBrowser, ReadonlyMap<string, number>>
  /** How each refresh token was presented that a provider took. */
  readonly presented: Map<RefreshToken, Presentation>
  /** The right to use a refresh token that each request got last. */
  readonly leases: Map<Exchange, LeaseFacts>
  /** By `provider subject`: the newest family of refresh tokens that was seen. */
  readonly families: Map<string, RefreshToken["family"]>
  readonly area: AreaFacts
  readonly native: NativeFacts
  /** Ids of the users whom the host bans. */
  readonly banned: Set<string>
  /** By `network username`: when passwords were tried and found wrong. */
  readonly wrongPasswords: Map<string, number[]>
  /** By address: how often strangers tried wrong codes that reached the store. */
  readonly wrongCodes: Map<string, number>
  /** By username: how many passwords were found wrong that came from networks without a sign-in before. */
  readonly strangeGuesses: Map<string, number>
  /** By user id: how often the password was to be changed by giving the current one. */
  readonly triedChanges: Map<string, number>
  /** By username: when sign-ins of the owner failed by a fault. They count as failed, since nothing was proved. */
  readonly failedSignIns: Map<string, number[]>
  /** Requests that were not answered yet. */
  readonly unanswered: Set<Exchange>
  /** By `network username`: the newest request when a password of the user was first right there. */
  readonly knownNetworks: Map<string, number>
  /** The first broken promise ends the run. */
  readonly violations: Violation[]
}

export function createModel(promises: StorePromises, now: () => number): Model {
  return {
    promises,
    now,
    users: new Map(),
    accounts: new Map(),
    passkeyOwners: new Map(),
    challenges: new Map(),
    assertions: new Map(),
    passkeys: new Map(),
    sessions: new Map(),
    revoked: new Map(),
    records: new Map(),
    logoutTokens: new Map(),
    flows: new Map(),
    mails: [],
    askedMails: new Map(),
    mailCookies: new Map(),
    resendings: new Map(),
    wrongGuesses: new Map(),
    reached: new Map(),
    usedAssertions: new Map(),
    misled: new Map(),
    passwords: new Map(),
    chosenPasswords: new Map(),
    formerPasswords: new Set(),
    factors: new Map(),
    holds: new Map(),
    waitsEnded: new Map(),
    recoveryCodes: new Map(),
    apps: new Map(),
    lastProofs: new Map(),
    presented: new Map(),
    leases: new Map(),
    families: new Map(),
    area: {
      kept: new Map(),
      addresses: new Map(),
      planned: new Map(),
      claimed: new Map(),
      unlinked: new Map(),
      lateLinks: new Map(),
    },
    native: { attempts: new Map(), questions: new Map(), codes: new Map(), tokens: new Map() },
    banned: new Set(),
    wrongPasswords: new Map(),
    wrongCodes: new Map(),
    strangeGuesses: new Map(),
    triedChanges: new Map(),
    failedSignIns: new Map(),
    unanswered: new Set(),
    knownNetworks: new Map(),
    violations: [],
  }
}

/** A user whom no one has changed yet. */
export function createUserFacts(given: Pick<UserFacts, "id" | "email" | "owner" | "bornIn">): UserFacts {
  const isAddressProven = given.bornIn === null
  return {
    ...given,
    isExposed: false,
    isPasswordKnown: false,
    isDeleted: false,
    isAddressProven,
    kept: null,
    movedBy: null,
  }
}

/** Why a session is over: a request ended it. */
export function endedBy({ id }: Exchange): string {
  return `request ${id} ended it`
}

/** Why a session is over. Null while it lives, undefined for a value that the service never issued. */
export function endOf(model: Model, value: string): string | null | undefined {
  const session = model.sessions.get(value)
  if (!session) return undefined
  return session.ended ?? (session.sid === null ? null : (model.revoked.get(session.sid)?.by ?? null))
}

/** Whether no request that arrives now may be answered for a session: it ended, and the time is over in which it may be believed. */
export function isDead(model: Model, value: string): boolean {
  if (typeof endOf(model, value) !== "string") return false
  const session = model.sessions.get(value)
  if (session?.sid === null || session?.ended != null) return true
  return model.now() >= (model.revoked.get(session?.sid ?? "")?.deadFromMs ?? 0)
}

/** The records of a session, by the value of its cookie. */
export function recordsOf({ sessions, records }: Model, value: string): readonly (readonly [string, RecordFacts])[] {
  const sid = sessions.get(value)?.sid ?? null
  return [...records].filter(([id, { sessionToken }]) => (sid === null ? sessionToken === value : id === sid))
}

/** When someone last proved in a browser that they may act as a user. */
export function lastProofOf({ lastProofs }: Model, browser: VisitorBrowser, userId: string): number {
  return lastProofs.get(browser)?.get(userId) ?? Number.NEGATIVE_INFINITY
}

export const freshMs: number = 10 * 60_000
/** Clocks of two instances, and the time within the request. */
export const freshMarginMs: number = 45_000

/**
 * Whether the user of a request's session proved long ago who they are. A service with second factors notes it for the
 * browser, another one for the session.
 */
export function isProvenLongAgo(model: Model, { sentSessions, browser, arrivedMs }: Exchange): boolean {
  const own = sentSessions.flatMap((value) => recordsOf(model, value))
  return own.every(([, { userId, provenMs }]) => {
    const lastMs = Math.max(provenMs, lastProofOf(model, browser, userId))
    return arrivedMs - lastMs > freshMs + freshMarginMs
  })
}

/** Whether the store knew before a request arrived that a session of it had ended. Lookups that ask the store have no bound. */
export function isOverAtArrival(
  model: Model,
  { endedBefore, arrivedMs }: Pick<Exchange, "endedBefore" | "arrivedMs">,
  value: string,
): boolean {
  const endedMs = model.records.get(model.sessions.get(value)?.sid ?? "")?.endedMs ?? null
  return endedBefore.has(value) || (endedMs !== null && endedMs < arrivedMs)
}

/** Whether a person may act as a user. */
export function mayAct(model: Model, person: Person, userId: string): boolean {
  const user = model.users.get(userId)
  if (model.misled.get(person)?.has(userId)) return true
  return user !== undefined && (user.owner === person || (person.isAttacker && user.isExposed))
}

/**
 * From now on the model lets a person act as another's user: the attacker put the user's session into a browser where the
 * host turned the protection off, or the adapter does not keep which addresses are verified.
 */
export function mislead({ misled }: Model, person: Person, userId: string): void {
  misled.set(person, new Set([...(misled.get(person) ?? []), userId]))
}

/** The user of the first session that a request sent and that lived when it arrived. Null without one. */
export function liveUserOf(model: Model, { sentSessions, endedBefore }: Exchange): string | null {
  const live = sentSessions.find((value) => model.sessions.has(value) && !endedBefore.has(value))
  return live === undefined ? null : (model.sessions.get(live)?.userId ?? null)
}

/** Whether a user can sign in with a passkey. A fault may leave one without an account, which signs no one in. */
export function hasPasskey({ passkeys, accounts }: Model, userId: string): boolean {
  return [...passkeys].some(([id, owner]) => owner === userId && accounts.get(`passkey ${id}`) === userId)
}

/** `Vera's user`, for sentences. */
export function describeUser(model: Model, userId: string): string {
  const user = model.users.get(userId)
  return user ? `${user.owner.name}'s user` : "a user whom no one created"
}
