import { AuthError, toError } from "../errors/auth-error.js"
import { TooManyRequests } from "../errors/errors.js"
import {
  type Client,
  findClient,
  type IpRange,
  parseIpAddress,
  parseIpRange,
  toNetwork,
} from "../http/client-address.js"
import { type AuthRequest, toBodilessRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import { systemClock } from "../runtime/promise.js"
import type { AuthConfig } from "../types/config.js"
import type { CredentialsConfig } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { type AccountName, findAccountNames, toAccountName, toMailboxName } from "./account-name.js"
import { type BudgetName, resolveRateLimit } from "./budgets.js"
import { type CounterKey, type Counters, createCounters, dependableStore, memoryStore } from "./counters.js"

/** The budgets that each request of an action is counted on. */
export type ActionBudget = Extract<BudgetName, "signIn" | "callback" | "webAuthnOptions" | "sessionUpdate" | "signOut">

/** A form of a credentials provider. */
interface PasswordAttempt {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly provider: Pick<CredentialsConfig, "id" | "credentials">
}

/** The token of a mailed link. */
interface TokenAttempt {
  readonly address: string | undefined
  /** Whether the host's own code made it, so that it may be short. */
  readonly isGuessable: boolean
}

/** How much may be asked of the service, and how often somebody may be wrong. */
export interface Limits {
  /** @throws TooManyRequests when the visitor's network has asked too often */
  admit(action: ActionBudget, request: AuthRequest): Promise<void>
  /** @throws TooManyRequests before a password is looked at, whether it is right or wrong */
  tryPassword(attempt: PasswordAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** @throws TooManyRequests before a token is looked at, whether it is right or wrong */
  tryToken(attempt: TokenAttempt, request: AuthRequest): Promise<CountedAttempt>
  /** Null: no mail may go to this address now, and the visitor is not told. */
  allowMail(address: string, request: AuthRequest): Promise<MailAllowance | null>
}

/** Nothing is counted. */
export const unlimited: Limits = {
  admit: async () => {},
  tryPassword: async () => ({ succeed: async () => {} }),
  tryToken: async () => ({ succeed: async () => {} }),
  allowMail: async () => ({ giveBack: async () => {} }),
}

interface LimitsNeeds extends MailNeeds {
  readonly accountOf: RateLimitOptions["accountOf"]
}

function createLimits(needs: LimitsNeeds): Limits {
  const { counters, findNetwork, accountOf } = needs
  return {
    admit: (action, request) => counters.admit(action, { network: findNetwork(request) }),
    tryPassword({ credentials, provider }, request) {
      const names = findAccountNames(credentials, provider, accountOf)
      return countAttempt({ names, request, isGuessable: true }, needs)
    },
    tryToken({ address, isGuessable }, request) {
      const names = address === undefined ? [] : [toMailboxName(address)]
      return countAttempt({ names, request, isGuessable }, needs)
    },
    allowMail: (address, request) => allowMail(address, request, needs),
  }
}

/** An attempt to prove who one is that may be a guess. */
interface Attempt {
  /** Several where it is not known which of them counts. */
  readonly names: readonly AccountName[]
  readonly request: AuthRequest
  /** Whether enough attempts would find it: a password, a short code. A long random token is not found. */
  readonly isGuessable: boolean
}

/** An attempt that was counted as failed, as long as nothing else is said. */
interface CountedAttempt {
  succeed(): Promise<void>
}

interface AttemptsNeeds {
  readonly counters: Counters
  readonly findNetwork: FindNetwork
  readonly knownNetworks: KnownNetworks
}

/**
 * Counts an attempt before it is made, so that many at once are not more than one after the other.
 * @throws TooManyRequests when the network failed too often, or strangers with this account
 */
async function countAttempt(
  { names, request, isGuessable }: Attempt,
  { counters, findNetwork, knownNetworks }: AttemptsNeeds,
): Promise<CountedAttempt> {
  const network = findNetwork(request)
  // The narrowest first: what is refused here takes nothing from what others have a share in.
  const pairs = network === null ? [] : names.map(({ counted }) => ({ network, account: counted }))
  for (const pair of pairs) await counters.admit("failuresPerNetworkAndAccount", pair)
  await counters.admit("failuresPerNetwork", { network })
  const holders = isGuessable ? await Promise.all(names.map((name) => knownNetworks.holderOf(name, network))) : []
  for (const holder of holders) await counters.admit("failuresPerAccount", holder)
  return {
    async succeed() {
      // Of several names one may be somebody else's, written there by whoever signed in.
      const own = names.length === 1 ? names[0] : undefined
      await Promise.all([
        ...pairs.map((pair) => counters[own ? "forget" : "refund"]("failuresPerNetworkAndAccount", pair)),
        // Only its own part is given back: whoever has an account of a name spelt alike could else begin anew all the
        // time.
        ...holders.map((holder) => counters.refund("failuresPerAccount", holder)),
        counters.refund("failuresPerNetwork", { network }),
        own && knownNetworks.remember(own, network),
      ])
    },
  }
}

/** A mail that may be sent. */
interface MailAllowance {
  /** The mail did not go: it may be asked for again at once. */
  giveBack(): Promise<void>
}

interface MailNeeds extends AttemptsNeeds {
  readonly log: Log
}

/**
 * Counts a mail before it is sent. Null when there were too many: the visitor is answered as ever, and nothing is sent.
 */
async function allowMail(address: string, request: AuthRequest, needs: MailNeeds): Promise<MailAllowance | null> {
  try {
    return await count(address, request, needs)
  } catch (error) {
    if (!(error instanceof TooManyRequests)) throw error
    needs.log.warn("mail-withheld")
    needs.log.recordFailure(error, request)
    return null
  }
}

async function count(
  address: string,
  request: AuthRequest,
  { counters, findNetwork, knownNetworks }: MailNeeds,
): Promise<MailAllowance> {
  const network = findNetwork(request)
  const mailbox = await knownNetworks.holderOf(toMailboxName(address), network)
  // Of the same network or of none, as the mailbox: a stranger who asks all the time must not keep the owner's mails
  // away.
  const repeats = { ...mailbox, account: toAccountName(address, "mail").counted }
  // A network that asked for too many takes nothing away from those whose addresses it names.
  await counters.admit("mailsPerNetwork", { network })
  await counters.admit("mailRepeats", repeats)
  await counters.admit("mailsPerAddress", mailbox)
  return {
    async giveBack() {
      await Promise.all([
        counters.refund("mailsPerNetwork", { network }),
        counters.forget("mailRepeats", repeats),
        counters.refund("mailsPerAddress", mailbox),
      ])
    },
  }
}

const mark = "knownNetworks"
const ttlSeconds = 90 * 24 * 60 * 60

/**
 * Remembers from which networks an account signed in. What strangers spend of an account's budget is not taken from
 * them, so that nobody can lock somebody else out from where they usually are.
 */
interface KnownNetworks {
  /** Whose budget it is when this network does something with this account. */
  holderOf(name: AccountName, network: string | null): Promise<CounterKey>
  remember(name: AccountName, network: string | null): Promise<void>
}

function createKnownNetworks(counters: Counters): KnownNetworks {
  return {
    async holderOf({ counted, exact }, network) {
      const isKnown = network !== null && (await counters.isMarked(mark, { account: exact, network }))
      return isKnown ? { account: counted, network } : { account: counted }
    },
    async remember({ exact }, network) {
      if (network === null || (await counters.isMarked(mark, { account: exact, network }))) return
      await counters.mark(mark, { account: exact, network }, ttlSeconds)
    },
  }
}

/** Finds the network that a request came from. Null: it is not known, which the log is told once. */
type FindNetwork = (request: AuthRequest) => string | null

interface NetworksNeeds {
  readonly trustedProxies: readonly IpRange[]
  readonly clientAddress: AuthConfig["clientAddress"]
  readonly log: Log
}

function createFindNetwork({ trustedProxies, clientAddress, log }: NetworksNeeds): FindNetwork {
  function find(request: AuthRequest): Client {
    if (!clientAddress) return findClient(request.headers, request.context, trustedProxies)
    const address = parseIpAddress(askHost(clientAddress, request, log) ?? "")
    return address ? { address } : { address: null, reason: "no-address" }
  }

  return (request) => {
    const client = find(request)
    if (client.address) return toNetwork(client.address)
    log.warnOnce(client.reason === "unnamed-proxy" ? "proxy-not-trusted" : "client-address-unknown")
    return null
  }
}

function askHost(
  clientAddress: NonNullable<AuthConfig["clientAddress"]>,
  request: AuthRequest,
  log: Log,
): string | undefined {
  try {
    const address: unknown = clientAddress(toBodilessRequest(request))
    return typeof address === "string" ? address.trim() : undefined
  } catch (error) {
    // Whether somebody may sign in does not hang on where they are.
    log.error(new AuthError("clientAddress failed", toError(error)), request)
    return undefined
  }
}

/**
 * Shared by all configurations, so that one that is made anew for each request does not forget. Secrets keep them
 * apart.
 */
const local = memoryStore(systemClock)

/** The one place where it is decided whether anything is counted, and where. */
export function chooseLimits(config: ResolvedConfig, log: Log): Limits {
  const rateLimit = resolveRateLimit(config)
  if (!rateLimit) return unlimited
  const { store: shared, whenStoreFails, budgets, accountOf } = rateLimit
  const store = shared ? dependableStore(shared, { local, whenStoreFails, clock: systemClock, log }) : local
  const [secret = ""] = config.secrets
  const counters = createCounters({ store, budgets, secret })
  const trustedProxies = config.trustedProxies.flatMap((text) => parseIpRange(text) ?? [])
  const findNetwork = createFindNetwork({ ...config, trustedProxies, log })
  return createLimits({ counters, findNetwork, knownNetworks: createKnownNetworks(counters), accountOf, log })
}
