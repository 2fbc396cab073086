import type { Awaitable } from "./basics.js"

/** Limits on requests, emails and failed sign-ins. */
export interface RateLimitOptions {
  /** The budgets that differ from the defaults; `false` turns one off. */
  readonly budgets?:
    | { readonly [Name in keyof RateLimitBudgets]?: RateLimitBudgets[Name] | false | undefined }
    | undefined
  /** A store that several processes share. Default: the memory of this process. */
  readonly store?: RateLimitStore | undefined
  /**
   * What happens if the store fails or takes longer than a second. `count-locally` logs it and counts in this process
   * for ten seconds; `refuse` refuses what cannot be counted. Default: `count-locally`.
   */
  readonly whenStoreFails?: "count-locally" | "refuse" | undefined
  /**
   * Returns the account that submitted credentials are for, or undefined. Default: each of the fields `username`,
   * `email`, `login`, `user`, `identifier` and `phone` that the provider declares; else its first declared field that
   * holds no secret; if none of these was sent, each field with a usual name, such as `userId` or `mobile`.
   */
  readonly accountOf?: ((credentials: Readonly<Record<string, unknown>>) => string | undefined) | undefined
}

/**
 * The budgets. A network is an IPv4 address or the first 64 bits of an IPv6 address. The budgets of a network do not
 * apply to clients whose address is unknown: one client could use up what they would share. For them, those of the peer
 * apply, the other end of the connection, which may be a proxy with many visitors. An account is a submitted
 * user name or address, whether it exists or not; of the tokens of each email provider, a mailbox.
 */
export interface RateLimitBudgets {
  /** `POST signin/<id>` from one network. Default: 60 per minute. */
  readonly signIn: RateLimitBudget
  /** `callback/<id>` from one network. Default: 60 per minute. */
  readonly callback: RateLimitBudget
  /** `GET webauthn-options/<id>` from one network. Default: 60 per minute. */
  readonly webAuthnOptions: RateLimitBudget
  /** `POST session` from one network. Default: 120 per minute. */
  readonly sessionUpdate: RateLimitBudget
  /** `POST signout` from one network. Default: 60 per minute. */
  readonly signOut: RateLimitBudget
  /** Cookies of other libraries (`session.accept`) from one network that were no session. Default: 60 per minute. */
  readonly moves: RateLimitBudget
  /** Wrong passwords and email tokens from one network for one account. Default: 10 per 15 minutes. */
  readonly failuresPerNetworkAndAccount: RateLimitBudget
  /** Wrong passwords and email tokens from one network for any account. Default: 100 per hour. */
  readonly failuresPerNetwork: RateLimitBudget
  /** Wrong passwords and email tokens from one peer, of clients whose address is unknown. Default: 300 per 10 minutes. */
  readonly failuresPerPeer: RateLimitBudget
  /**
   * Wrong passwords and email tokens for one account from all networks together. A network from which the account
   * signed in during the last 90 days has a budget of its own. Default: 100 per day.
   */
  readonly failuresPerAccount: RateLimitBudget
  /** Repeated emails of one provider to one address. More are answered as usual, but not sent. Default: 1 per 30 seconds. */
  readonly mailRepeats: RateLimitBudget
  /** Mails to one mailbox. More are answered as usual, but not sent. Default: 5 per hour. */
  readonly mailsPerAddress: RateLimitBudget
  /** Mails requested from one network. More are answered as usual, but not sent. Default: 60 per 10 minutes. */
  readonly mailsPerNetwork: RateLimitBudget
  /** Mails requested by clients of one peer whose address is unknown. Default: 300 per 10 minutes. */
  readonly mailsPerPeer: RateLimitBudget
  /** Mails that tell a user about changed ways to sign in. More are not sent. Default: 20 per hour. */
  readonly noticesPerUser: RateLimitBudget
}

/** A number of attempts per window. The window begins with the first attempt. */
export interface RateLimitBudget {
  /** Number of attempts, an integer of at least 1. */
  readonly limit: number
  /** Length of the window in seconds, an integer of at least 1. */
  readonly windowSeconds: number
}

/**
 * Storage for the counters. A key begins with the name of its budget; it holds no address and no user name in plain
 * text. A method throws if it cannot do its work.
 */
export interface RateLimitStore {
  /** Increments the counter and returns it, in one atomic step. A missing counter starts a new window. */
  consume(key: string, windowSeconds: number): Awaitable<RateLimitCount>
  /** Decrements the counter. */
  refund(key: string, windowSeconds: number): Awaitable<unknown>
  /** Whether the counter exists and its window has not ended. */
  has(key: string): Awaitable<boolean>
  /** Removes the counter. */
  forget(key: string): Awaitable<unknown>
}

/** The state of one counter. */
export interface RateLimitCount {
  /** Number of attempts in this window. */
  readonly used: number
  /** Milliseconds until the window ends. */
  readonly msLeft: number
}
