import type { RateLimitBudget, RateLimitBudgets, RateLimitOptions } from "../types/rate-limit.js"

export type BudgetName = keyof RateLimitBudgets

export interface ResolvedRateLimit extends Omit<RateLimitOptions, "budgets"> {
  /** Undefined for a budget that the host lifted. */
  readonly budgets: { readonly [Name in BudgetName]: RateLimitBudget | undefined }
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const budget = (limit: number, windowSeconds: number): RateLimitBudget => ({ limit, windowSeconds })

/** Far above what people behind one address need, far below what guessing needs. */
export const defaultBudgets: RateLimitBudgets = {
  signIn: budget(60, minute),
  callback: budget(60, minute),
  webAuthnOptions: budget(60, minute),
  sessionUpdate: budget(120, minute),
  signOut: budget(60, minute),
  moves: budget(60, minute),
  failuresPerNetworkAndAccount: budget(10, 15 * minute),
  failuresPerNetwork: budget(100, hour),
  // A proxy that is not listed has many visitors. The window is short, since an attacker behind it can use this up for all.
  failuresPerPeer: budget(300, 10 * minute),
  // NIST SP 800-63B-4 section 3.2.2 requires at most 100. Fewer would make it easier to lock users out.
  failuresPerAccount: budget(100, day),
  mailRepeats: budget(1, 30),
  mailsPerAddress: budget(5, hour),
  mailsPerNetwork: budget(60, 10 * minute),
  mailsPerPeer: budget(300, 10 * minute),
  // Wide: each of these changes needs a recent sign-in, and a notice that is not sent would help a thief.
  noticesPerUser: budget(20, hour),
}
