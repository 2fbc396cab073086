import { TooManyRequests } from "../errors/errors.js"
import { createFindClient, type SentRequest } from "../host/client-address.js"
import { type IpAddress, parseIpAddress } from "../http/ip-address.js"
import type { AuthRequest } from "../http/request.js"
import type { LogContext } from "../log/audit-event.js"
import type { Log } from "../log/log.js"
import { onePerProcess } from "../runtime/cache.js"
import { toIdText } from "../runtime/id.js"
import { systemClock } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { CredentialsConfig } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"
import type { ResolvedConfig } from "../types/resolved.js"
import {
  type AccountName,
  findAccountNames,
  findFields,
  toMailboxName,
  toRepeatName,
  toTokenName,
  toUnknownName,
  toUserName,
} from "./account-name.js"
import { type BudgetName, defaultBudgets, type ResolvedRateLimit } from "./budgets.js"
import { type CounterKey, type Counters, createCounters, dependableStore, memoryStore } from "./counters.js"

/** Limits how often clients may send requests, guess passwords and tokens, and have mails sent. */
export interface Limits {
  /** @throws TooManyRequests when the client's network sent too many requests of this kind */
  consume(action: ActionBudget, request: AuthRequest): Awaitable<void>
  /** @throws TooManyRequests before a session of another library is looked for, whether there is one or not */
  tryMove(request: SentRequest): Promise<Pick<CountedAttempt, "succeed">>
  /** @throws TooManyRequests before the password is checked, whether it is right or wrong */
  tryPassword(attempt: PasswordAttempt, request: AuthRequest): Awaitable<PasswordCount>
  /** @throws TooManyRequests before the token is checked, whether it is right or wrong */
  tryToken(attempt: TokenAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** @throws TooManyRequests before a secret of a known user is checked, whether it is right or wrong */
  tryUser(attempt: UserAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** Null when no mail may be sent to this address now. The visitor gets the usual answer. */
  allowMail(mail: Mail, request: AuthRequest): Promise<MailAllowance | null>
  /** False when no more notices may be mailed to a user now. */
  allowNotice(userId: string, request: LogContext): Promise<boolean>
}

/** The budgets that limit actions by network. */
export type ActionBudget = Extract<BudgetName, "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut">

/** A submitted form of a credentials provider. */
interface PasswordAttempt {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly provider: Pick<CredentialsConfig, "id" | "credentials">
  /** The id of the user whom the app itself found by the name; null if there is none. Guesses at it count, too. */
  readonly foundId?: string | null
}

/** The token of a mailed link. */
interface TokenAttempt {
  readonly address: string | undefined
  /** Where the token was sent. Each provider accepts its own tokens, so each has its own count. */
  readonly provider: { readonly id: string }
  /** Whether the token may be found by trying, because it is short or the host generates it. */
  readonly isGuessable: boolean
}

/** A secret of a user who is known before it is typed. */
interface UserAttempt {
  readonly userId: string
  /** The kind of secret. Each has its own count. */
  readonly secret: string
}

/** A mail that a visitor requested. */
interface Mail {
  readonly address: string
  /** Its mails differ from those of other providers, so they do not repeat each other. */
  readonly provider: { readonly id: string }
}

/** Counts as failed until `succeed()`. */
interface CountedAttempt {
  /** How many attempts for the account failed before, as far as they are counted. */
  readonly failures: number
  succeed(): Promise<void>
}

/** An attempt at a password. */
interface PasswordCount extends Omit<CountedAttempt, "succeed"> {
  succeed(): Awaitable<void>
  /**
   * Whether the guesses at the found user are used up, by other spellings of the name. The visitor gets the answer to a wrong
   * password: any other would tell that the name has an account.
   */
  readonly isRefused: boolean
}

/** A mail that may be sent. */
interface MailAllowance {
  /** The mail was not sent, so that it does not count. */
  giveBack(): Promise<void>
}

/** Counts nothing. */
export const unlimited: Limits = {
  consume: () => {},
  tryMove: async () => ({ succeed: async () => {} }),
  tryPassword: () => ({ failures: 0, isRefused: false, succeed: () => {} }),
  tryToken: async () => ({ failures: 0, succeed: async () => {} }),
  tryUser: async () => ({ failures: 0, succeed: async () => {} }),
  allowMail: async () => ({ giveBack: async () => {} }),
  allowNotice: async () => true,
}

/**
 * Shared by all configurations, so that a configuration that is rebuilt for each request does not forget. Keys of
 * different secrets never collide.
 */
const openMemory = onePerProcess("counted", 1, () => memoryStore(systemClock))

/** Decides whether requests are counted, and in which store. */
export function chooseLimits(config: ResolvedConfig, log: Log): Limits {
  const rateLimit = resolveRateLimit(config)
  if (!rateLimit) return unlimited
  const { store: shared, whenStoreFails, budgets, accountOf } = rateLimit
  const local = openMemory()
  const store = shared ? dependableStore(shared, { local, whenStoreFails, clock: systemClock, log }) : local
  const [secret = ""] = config.secrets
  const counters = createCounters({ store, budgets, secret })
  const findNetwork = createFindNetwork(config, log)
  return createLimits({ counters, findNetwork, knownNetworks: createKnownNetworks(counters), log }, accountOf)
}

/**
 * Null when nothing is limited: with `rateLimit: false`, and by default outside production.
 * @internal Exported for its tests.
 */
export function resolveRateLimit({
  rateLimit,
  isProduction,
}: Pick<ResolvedConfig, "rateLimit" | "isProduction">): ResolvedRateLimit | null {
  if (rateLimit === false || (rateLimit === undefined && !isProduction)) return null
  const names = Object.keys(defaultBudgets) as BudgetName[] // The keys of a literal record.
  const budgets = names.map((name) => {
    const given = rateLimit?.budgets?.[name]
    return [name, given === false ? undefined : (given ?? defaultBudgets[name])]
  })
  // Has an entry for each name.
  return { ...rateLimit, budgets: Object.fromEntries(budgets) as ResolvedRateLimit["budgets"] }
}

interface LimitsDeps {
  readonly counters: Counters
  readonly findNetwork: FindNetwork
  readonly knownNetworks: KnownNetworks
  readonly log: Log
}

function createLimits(deps: LimitsDeps, accountOf: RateLimitOptions["accountOf"]): Limits {
  const { counters, findNetwork, log } = deps
  return {
    async consume(action, request) {
      const { network } = findNetwork(request)
      // One budget for all clients with an unknown network would let a single client stop every sign-in.
      if (network !== null) await counters.consume(action, { network })
    },
    async tryMove(request) {
      const { network } = findNetwork(request)
      if (network !== null) await counters.consume("moves", { network })
      return { succeed: async () => void (network !== null && (await counters.refund("moves", { network }))) }
    },
    async tryPassword({ credentials, provider, foundId }, request) {
      const account = accountOf && (await askForAccount(accountOf, credentials))
      const names = findAccountNames(credentials, provider, account)
      // A declared field can be left empty by anyone; the configuration is not at fault then.
      const isUnnamed = names.length === 0 && findFields(provider.credentials ?? {}).length === 0
      if (isUnnamed) log.warnOnce("account-unnamed", `providers.${provider.id}`)
      const found = foundId === undefined ? undefined : toFoundName(foundId, names)
      return countAttempt({ names, found, request, isGuessable: true }, deps)
    },
    tryToken({ address, provider, isGuessable }, request) {
      const names = address === undefined ? [] : [toTokenName(provider.id, address)]
      return countAttempt({ names, request, isGuessable }, deps)
    },
    tryUser({ userId, secret }, request) {
      return countAttempt({ names: [toUserName(secret, userId)], request, isGuessable: true }, deps)
    },
    async allowMail(mail, request) {
      try {
        return await countMail(mail, request, deps)
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error
        log.warn("mail-withheld")
        log.recordFailure(error, request)
        return null
      }
    },
    async allowNotice(userId, request) {
      try {
        for (const account of toUserName("notice", userId).counted)
          await counters.consume("noticesPerUser", { account })
        return true
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error
        log.warn("mail-withheld")
        log.recordFailure(error, request)
        return false
      }
    },
  }
}

/** @throws CallbackRouteError for an object: as text, all objects are the same, and all accounts would share one budget */
async function askForAccount(
  accountOf: NonNullable<RateLimitOptions["accountOf"]>,
  credentials: PasswordAttempt["credentials"],
): Promise<string> {
  const { runApp } = await import("../host/redact.js")
  const ask = async () => {
    const account: unknown = await accountOf(credentials)
    const text = toIdText(account)
    if (text !== "" || Object(account) !== account) return text
    throw new TypeError("Return the name of the account as text, or undefined")
  }
  return runApp("rateLimit.accountOf", ask, [credentials])
}

/** The user whom the app found, or as many counters for one whom it did not find. */
function toFoundName(id: string | null, names: readonly AccountName[]): AccountName {
  return id === null ? toUnknownName("password", names) : toUserName("password", id)
}

/** An attempt to sign in that may be a guess. */
interface Attempt {
  /** Several when it is unknown which one the host uses. */
  readonly names: readonly AccountName[]
  /** Whose budget may be used up without a word. */
  readonly found?: AccountName | undefined
  readonly request: AuthRequest
  /** Whether it can be found by trying: a password or a short code, but not a long random token. */
  readonly isGuessable: boolean
}

/**
 * Counts an attempt before it is made, so that parallel attempts cannot exceed the budget.
 * @throws TooManyRequests when the network failed too often, or unknown networks with this account
 */
async function countAttempt(
  attempt: Attempt,
  deps: LimitsDeps,
): Promise<CountedAttempt & Pick<PasswordCount, "isRefused">> {
  const { names, found, request, isGuessable } = attempt
  const { counters, findNetwork, knownNetworks, log } = deps
  const { network, peer } = findNetwork(request)
  // The narrowest budget first: an attempt that it rejects does not count on the shared ones.
  const networks = network === null ? [] : [{ network }]
  const pairsOf = ({ counted }: AccountName) =>
    networks.flatMap((key) => counted.map((account) => ({ ...key, account })))
  const keysOf = async (name: AccountName) => (isGuessable ? knownNetworks.keysOf(name, network) : [])
  const [pairs, keys] = [names.flatMap(pairsOf), (await Promise.all(names.map(keysOf))).flat()]
  const foundPairs = found ? pairsOf(found) : []
  const foundKeys = found ? await keysOf(found) : []
  let used = 1
  const count = async (name: BudgetName, key: CounterKey) => {
    used = Math.max(used, await counters.consume(name, key))
  }
  for (const pair of pairs) await count("failuresPerNetworkAndAccount", pair)
  for (const key of networks) await counters.consume("failuresPerNetwork", key)
  for (const key of peer) await counters.consume("failuresPerPeer", key)
  for (const key of keys) await count("failuresPerAccount", key)
  let isRefused = false
  const countFound = async (name: BudgetName, key: CounterKey) => {
    try {
      await count(name, key)
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error
      isRefused = true
      log.recordFailure(error, request)
    }
  }
  for (const pair of foundPairs) await countFound("failuresPerNetworkAndAccount", pair)
  for (const key of foundKeys) await countFound("failuresPerAccount", key)
  return {
    failures: used - 1,
    isRefused,
    async succeed() {
      // Of several names, an attacker who signed in may have added one of another account.
      const own = names.length === 1 ? names[0] : undefined
      await Promise.all([
        ...pairs.map((pair) => counters[own ? "forget" : "refund"]("failuresPerNetworkAndAccount", pair)),
        ...foundPairs.map((pair) => counters.forget("failuresPerNetworkAndAccount", pair)),
        // Only refunded: with an account of a similar name, an attacker could reset this counter at will.
        ...[...keys, ...foundKeys].map((key) => counters.refund("failuresPerAccount", key)),
        ...networks.map((key) => counters.refund("failuresPerNetwork", key)),
        ...peer.map((key) => counters.refund("failuresPerPeer", key)),
        own && knownNetworks.remember(own, network),
        found && knownNetworks.remember(found, network),
      ])
    },
  }
}

/**
 * Counts a mail before it is sent.
 * @throws TooManyRequests
 */
async function countMail({ address, provider }: Mail, request: AuthRequest, deps: LimitsDeps): Promise<MailAllowance> {
  const { counters, findNetwork, knownNetworks } = deps
  const { network, peer } = findNetwork(request)
  const mailboxes = await knownNetworks.keysOf(toMailboxName(address), network)
  // Per network if the network is known to the account: requests of strangers must not block the owner's mails.
  const repeats = await knownNetworks.keysOf(toRepeatName(provider.id, address), network)
  const networks = network === null ? [] : [{ network }]
  // First, so that a network over its budget uses nothing of the budgets of the addresses that it names.
  for (const key of networks) await counters.consume("mailsPerNetwork", key)
  for (const key of peer) await counters.consume("mailsPerPeer", key)
  for (const key of repeats) await counters.consume("mailRepeats", key)
  for (const key of mailboxes) await counters.consume("mailsPerAddress", key)
  return {
    async giveBack() {
      await Promise.all([
        ...networks.map((key) => counters.refund("mailsPerNetwork", key)),
        ...peer.map((key) => counters.refund("mailsPerPeer", key)),
        ...repeats.map((key) => counters.forget("mailRepeats", key)),
        ...mailboxes.map((key) => counters.refund("mailsPerAddress", key)),
      ])
    },
  }
}

const daySeconds = 24 * 60 * 60
/** Renewed at most once a day, so that it ends 90 days after the last sign-in or later. */
const rememberedSeconds = 91 * daySeconds

/** New networks of one account that are remembered each day. More could push out those of other accounts. */
const maxNewNetworks = 10

/**
 * Remembers the networks from which an account signed in. Each of them has a budget of its own for the account, so that
 * strangers who use up the shared one cannot lock its owner out.
 */
interface KnownNetworks {
  /** The keys of the account's budget for this network. */
  keysOf(name: AccountName, network: string | null): Promise<readonly CounterKey[]>
  remember(name: AccountName, network: string | null): Promise<void>
}

function createKnownNetworks(counters: Counters): KnownNetworks {
  return {
    async keysOf({ counted, exact }, network) {
      const isKnown = network !== null && (await counters.has("knownNetworks", { account: exact, network }))
      return counted.map((account) => (isKnown ? { account, network } : { account }))
    },
    async remember({ counted, exact }, network) {
      if (network === null) return
      const key = { account: exact, network }
      if (!(await counters.has("knownNetworks", key))) {
        // By the counted names, because a host may accept many spellings of one account.
        const added = counted.map((account) => counters.add("newNetworks", { account }, daySeconds))
        if ((await Promise.all(added)).some(({ used }) => used > maxNewNetworks)) return
      }
      const { msLeft } = await counters.add("knownNetworks", key, rememberedSeconds)
      const isDue = msLeft < (rememberedSeconds - daySeconds) * 1000
      if (isDue) await counters.renew("knownNetworks", key, rememberedSeconds)
    },
  }
}

/** Finds who sent a request. An unknown network is logged once. */
type FindNetwork = (request: SentRequest) => Sender

interface Sender {
  /** The network of the client. Null when it is unknown. */
  readonly network: string | null
  /** Where the connection comes from, if the network is unknown: a proxy, or the client. Empty where there are no sockets. */
  readonly peer: readonly CounterKey[]
}

function createFindNetwork(config: ResolvedConfig, log: Log): FindNetwork {
  const findClient = createFindClient(config, log)
  return (request) => {
    const client = findClient(request)
    if (client.address) return { network: toNetwork(client.address), peer: [] }
    const { proxySetting, peerAddress, clientAddress } = request.context
    if (client.reason === "every-proxy") log.warnOnce("proxy-trust-too-wide", proxySetting && `Write ${proxySetting}`)
    else log.warnOnce(client.reason === "unnamed-proxy" ? "proxy-not-trusted" : "client-address-unknown")
    const peer = parseIpAddress(peerAddress ?? clientAddress ?? "")
    return { network: null, peer: peer ? [{ network: toNetwork(peer) }] : [] }
  }
}

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because each host
 * chooses the rest itself (RFC 4291 section 2.5.1).

 * @internal Exported for its tests.
 */
export function toNetwork({ version, value }: IpAddress): string {
  return version === 4 ? `4-${value.toString(16)}` : `6-${(value >> 64n).toString(16)}`
}
