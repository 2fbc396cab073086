import { TooManyRequests } from "../errors/errors.js"
import { accountFields, allAccountFields } from "../host/account-fields.js"
import { createFindClient } from "../host/client-address.js"
import { toNetwork } from "../http/ip-address.js"
import type { AuthRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import { systemClock } from "../runtime/promise.js"
import type { CredentialsConfig } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { type BudgetName, defaultBudgets, type ResolvedRateLimit } from "./budgets.js"
import { type CounterKey, type Counters, createCounters, dependableStore, memoryStore } from "./counters.js"

/** Limits how often clients may send requests, guess passwords and tokens, and have mails sent. */
export interface Limits {
  /** @throws TooManyRequests when the client's network sent too many requests of this kind */
  consume(action: ActionBudget, request: AuthRequest): Promise<void>
  /** @throws TooManyRequests before the password is checked, whether it is right or wrong */
  tryPassword(attempt: PasswordAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** @throws TooManyRequests before the token is checked, whether it is right or wrong */
  tryToken(attempt: TokenAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** Null when no mail may be sent to this address now. The visitor gets the usual answer. */
  allowMail(mail: Mail, request: AuthRequest): Promise<MailAllowance | null>
}

/** The budgets that limit actions by network. */
export type ActionBudget = Extract<BudgetName, "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut">

/** A submitted form of a credentials provider. */
interface PasswordAttempt {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly provider: Pick<CredentialsConfig, "id" | "credentials">
}

/** The token of a mailed link. */
interface TokenAttempt {
  readonly address: string | undefined
  /** Where the token was sent. Each provider accepts its own tokens, so each has its own count. */
  readonly provider: { readonly id: string }
  /** Whether the token may be found by trying, because it is short or the host generates it. */
  readonly isGuessable: boolean
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

/** A mail that may be sent. */
interface MailAllowance {
  /** The mail was not sent, so that it does not count. */
  giveBack(): Promise<void>
}

/** Counts nothing. */
export const unlimited: Limits = {
  consume: async () => {},
  tryPassword: async () => ({ failures: 0, succeed: async () => {} }),
  tryToken: async () => ({ failures: 0, succeed: async () => {} }),
  allowMail: async () => ({ giveBack: async () => {} }),
}

/**
 * Shared by all configurations, so that a configuration that is rebuilt for each request does not forget. Keys of
 * different secrets never collide.
 */
const local = memoryStore(systemClock)

/** Decides whether requests are counted, and in which store. */
export function chooseLimits(config: ResolvedConfig, log: Log): Limits {
  const rateLimit = resolveRateLimit(config)
  if (!rateLimit) return unlimited
  const { store: shared, whenStoreFails, budgets, accountOf } = rateLimit
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
      const network = findNetwork(request)
      // One budget for all clients with an unknown network would let a single client stop every sign-in.
      if (network !== null) await counters.consume(action, { network })
    },
    tryPassword({ credentials, provider }, request) {
      const names = findAccountNames(credentials, provider, accountOf)
      // A declared field can be left empty by anyone; the configuration is not at fault then.
      const isUnnamed = names.length === 0 && findFields(provider.credentials ?? {}).length === 0
      if (isUnnamed) log.warnOnce("account-unnamed", `providers.${provider.id}`)
      return countAttempt({ names, request, isGuessable: true }, deps)
    },
    tryToken({ address, provider, isGuessable }, request) {
      const mailboxes = address === undefined ? [] : [toMailboxName(address)]
      const names = mailboxes.map(({ counted, exact }) => ({ counted: `mail ${provider.id} ${counted}`, exact }))
      return countAttempt({ names, request, isGuessable }, deps)
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
  }
}

/** An attempt to sign in that may be a guess. */
interface Attempt {
  /** Several when it is unknown which one the host uses. */
  readonly names: readonly AccountName[]
  readonly request: AuthRequest
  /** Whether it can be found by trying: a password or a short code, but not a long random token. */
  readonly isGuessable: boolean
}

/**
 * Counts an attempt before it is made, so that parallel attempts cannot exceed the budget.
 * @throws TooManyRequests when the network failed too often, or unknown networks with this account
 */
async function countAttempt(attempt: Attempt, deps: LimitsDeps): Promise<CountedAttempt> {
  const { names, request, isGuessable } = attempt
  const { counters, findNetwork, knownNetworks } = deps
  const network = findNetwork(request)
  // The narrowest budget first: an attempt that it rejects does not count on the shared ones.
  const networks = network === null ? [] : [{ network }]
  const pairs = networks.flatMap((key) => names.map(({ counted }) => ({ ...key, account: counted })))
  let used = 1
  const count = async (name: BudgetName, key: CounterKey) => {
    used = Math.max(used, await counters.consume(name, key))
  }
  for (const pair of pairs) await count("failuresPerNetworkAndAccount", pair)
  for (const key of networks) await counters.consume("failuresPerNetwork", key)
  const keys = isGuessable ? await Promise.all(names.map((name) => knownNetworks.keyOf(name, network))) : []
  for (const key of keys) await count("failuresPerAccount", key)
  return {
    failures: used - 1,
    async succeed() {
      // Of several names, an attacker who signed in may have added one of another account.
      const own = names.length === 1 ? names[0] : undefined
      await Promise.all([
        ...pairs.map((pair) => counters[own ? "forget" : "refund"]("failuresPerNetworkAndAccount", pair)),
        // Only refunded: with an account of a similar name, an attacker could reset this counter at will.
        ...keys.map((key) => counters.refund("failuresPerAccount", key)),
        ...networks.map((key) => counters.refund("failuresPerNetwork", key)),
        own && knownNetworks.remember(own, network),
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
  const network = findNetwork(request)
  const mailbox = await knownNetworks.keyOf(toMailboxName(address), network)
  // Per network if the network is known to the account: requests of strangers must not block the owner's mails.
  const repeats = { ...mailbox, account: `mail ${provider.id} ${toAccountName(address, "mail").counted}` }
  const networks = network === null ? [] : [{ network }]
  // First, so that a network over its budget uses nothing of the budgets of the addresses that it names.
  for (const key of networks) await counters.consume("mailsPerNetwork", key)
  await counters.consume("mailRepeats", repeats)
  await counters.consume("mailsPerAddress", mailbox)
  return {
    async giveBack() {
      await Promise.all([
        ...networks.map((key) => counters.refund("mailsPerNetwork", key)),
        counters.forget("mailRepeats", repeats),
        counters.refund("mailsPerAddress", mailbox),
      ])
    },
  }
}

/** The account that an attempt names. */
interface AccountName {
  /** Normalized, for counting failures: spellings that a host may treat as one account are the same. */
  readonly counted: string
  /** As typed, with its purpose, for remembering successes: another user may own a similar name. */
  readonly exact: string
}

/** Input types that never hold a name. */
const otherTypes: ReadonlySet<string> = new Set([
  "password",
  "hidden",
  "checkbox",
  "radio",
  "submit",
  "button",
  "image",
])

/** Names of fields with a secret: each guess would count as an account of its own. */
const secretField = /pass|pin|secret|code|otp|token|answer/i

/** Characters. The rest of a name is ignored. */
const maxNameLength = 256

/**
 * The accounts that a form may name: from each usual field that the provider declares, else from its first declared text
 * field; from all usual fields if it declares none, or its own were not sent. Several, because only the host knows which
 * one it uses, and an attacker could add another to hide it.
 * @internal Exported for its tests.
 */
export function findAccountNames(
  credentials: Readonly<Record<string, unknown>>,
  { id, credentials: declared }: Pick<CredentialsConfig, "id" | "credentials">,
  accountOf?: RateLimitOptions["accountOf"],
): readonly AccountName[] {
  const toNames = (values: readonly unknown[]) => {
    const names = values.map((value) => toAccountName(toText(value), `password ${id}`))
    return names.filter(({ counted }, index) => {
      return counted !== "" && index === names.findIndex((other) => other.counted === counted)
    })
  }
  if (accountOf) return toNames([accountOf(credentials)])
  const own = toNames(findFields(declared ?? {}).map((field) => credentials[field]))
  return own.length > 0 ? own : toNames(allAccountFields.map((field) => credentials[field]))
}

/** The declared fields that name an account. */
function findFields(declared: NonNullable<CredentialsConfig["credentials"]>): readonly string[] {
  const names = Object.entries(declared)
    .filter(([name, { type }]) => !otherTypes.has(type ?? "text") && !secretField.test(name))
    .map(([name]) => name)
  const usual = accountFields.filter((field) => names.includes(field))
  return usual.length > 0 ? usual : names.slice(0, 1)
}

/**
 * The mailbox of an address: all its subaddresses, after a plus sign, count as one (RFC 5233).
 * @internal Exported for its tests.
 */
export function toMailboxName(address: string): AccountName {
  const { counted } = toAccountName(address.replace(/^([^+@]*)\+[^@]*@/, "$1@"), "mail")
  return { counted, exact: `mail ${address}` }
}

/**
 * Ignores case, accents, spaces and invisible characters, or each spelling of a name would give an attacker another
 * budget. If the host distinguishes such names, two users share one, which does little harm.
 * @internal Exported for its tests.
 */
export function toAccountName(text: string, purpose: string): AccountName {
  // Truncated last, so that ignored characters cannot push the name out.
  const counted = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{C}\p{Z}]/gu, "")
    .toLowerCase()
    .slice(0, maxNameLength)
  return { counted, exact: `${purpose} ${text}` }
}

/** The same text that `String(value)` in the host's code would give. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  try {
    return String(value)
  } catch {
    return "" // An object that cannot be converted, by the host either.
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
  /** The key of the account's budget for this network. */
  keyOf(name: AccountName, network: string | null): Promise<CounterKey>
  remember(name: AccountName, network: string | null): Promise<void>
}

function createKnownNetworks(counters: Counters): KnownNetworks {
  return {
    async keyOf({ counted, exact }, network) {
      const isKnown = network !== null && (await counters.has("knownNetworks", { account: exact, network }))
      return isKnown ? { account: counted, network } : { account: counted }
    },
    async remember({ counted, exact }, network) {
      if (network === null) return
      const key = { account: exact, network }
      if (!(await counters.has("knownNetworks", key))) {
        // By the counted name, because a host may accept many spellings of one account.
        const { used } = await counters.add("newNetworks", { account: counted }, daySeconds)
        if (used > maxNewNetworks) return
      }
      const { msLeft } = await counters.add("knownNetworks", key, rememberedSeconds)
      const isDue = msLeft < (rememberedSeconds - daySeconds) * 1000
      if (isDue) await counters.renew("knownNetworks", key, rememberedSeconds)
    },
  }
}

/** The network of a request's client. Null when it is unknown, which is logged once. */
type FindNetwork = (request: AuthRequest) => string | null

function createFindNetwork(config: ResolvedConfig, log: Log): FindNetwork {
  const findClient = createFindClient(config, log)
  return (request) => {
    const client = findClient(request)
    if (client.address) return toNetwork(client.address)
    log.warnOnce(client.reason === "unnamed-proxy" ? "proxy-not-trusted" : "client-address-unknown")
    return null
  }
}
