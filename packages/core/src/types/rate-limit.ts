import type { Awaitable } from "./basics.js"

/** So many within a window of time. The window begins with the first one. */
export interface RateLimitBudget {
  /** A whole number of 1 or more. */
  readonly limit: number
  /** Seconds, a whole number of 1 or more. */
  readonly windowSeconds: number
}

/**
 * What is counted. A network is an IPv4 address or the first 64 bits of an IPv6 address; an account is what somebody
 * typed as their user name or address, whether it exists or not.
 */
export interface RateLimitBudgets {
  /** `POST signin/<id>` of one network. Default: 60 in a minute. */
  readonly signIn: RateLimitBudget
  /** `callback/<id>` of one network. Default: 60 in a minute. */
  readonly callback: RateLimitBudget
  /** `GET webauthn-options/<id>` of one network. Default: 60 in a minute. */
  readonly webAuthnOptions: RateLimitBudget
  /** `POST session` of one network. Default: 120 in a minute. */
  readonly sessionUpdate: RateLimitBudget
  /** `POST signout` of one network. Default: 60 in a minute. */
  readonly signOut: RateLimitBudget
  /** Wrong passwords and mail tokens of one network for one account. Default: 10 in 15 minutes. */
  readonly failuresPerNetworkAndAccount: RateLimitBudget
  /** Wrong passwords and mail tokens of one network, whatever the account. Default: 100 in an hour. */
  readonly failuresPerNetwork: RateLimitBudget
  /**
   * Wrong passwords and mail tokens for one account, of all networks together. A network from which the account signed
   * in during the last 90 days has this budget to itself. Default: 100 in a day.
   */
  readonly failuresPerAccount: RateLimitBudget
  /**
   * Mails to one address in close succession; what comes above it is answered as ever, and not sent. Default: 1 in 30
   * seconds.
   */
  readonly mailRepeats: RateLimitBudget
  /** Mails to one mailbox; what comes above it is answered as ever, and not sent. Default: 5 in an hour. */
  readonly mailsPerAddress: RateLimitBudget
  /**
   * Mails asked for by one network; what comes above it is answered as ever, and not sent. Default: 60 in ten minutes.
   */
  readonly mailsPerNetwork: RateLimitBudget
}

/** The state of one counter. */
export interface RateLimitCount {
  /** How often it was consumed in this window. */
  readonly used: number
  /** Milliseconds until the window ends. */
  readonly msLeft: number
}

/**
 * Where the counters are. A key begins with the name of its budget and holds no address and no user name in clear. A
 * method that cannot do its work throws.
 */
export interface RateLimitStore {
  /** Adds one and says how many there are now, in one step. A counter that is not there begins a window. */
  consume(key: string, windowSeconds: number): Awaitable<RateLimitCount>
  /** Takes one back. */
  refund(key: string, windowSeconds: number): Awaitable<unknown>
  /** Whether the counter is there, its window not over. */
  has(key: string): Awaitable<boolean>
  /** Removes the counter, so that a new window begins with the next one. */
  forget(key: string): Awaitable<unknown>
}

/** How much may be asked of the service. */
export interface RateLimitOptions {
  /** Those that differ from the defaults; `false` lifts one. */
  readonly budgets?: { readonly [Name in keyof RateLimitBudgets]?: RateLimitBudgets[Name] | false }
  /** Shares the counters between processes. Default: the memory of this process. */
  readonly store?: RateLimitStore
  /**
   * `count-locally`: a store that fails or takes longer than a second is logged, and this process counts by itself for ten
   * seconds. `refuse`: what cannot be counted is refused. Default: `count-locally`.
   */
  readonly whenStoreFails?: "count-locally" | "refuse"
  /**
   * Names the account that a form of a credentials provider is about; undefined where it is about none. Default: the
   * fields
   * `username`, `email`, `login`, `user`, `identifier` and `phone` that the provider declares, all of them where it declares none; else
   * the first declared field that is no password.
   */
  readonly accountOf?: (credentials: Readonly<Record<string, unknown>>) => string | undefined
}
