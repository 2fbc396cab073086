import type { RateLimitBudget, RateLimitBudgets, RateLimitOptions } from "../types/rate-limit.js"

export type BudgetName = keyof RateLimitBudgets

export interface ResolvedRateLimit extends Omit<RateLimitOptions, "budgets"> {
  /** Undefined for a budget that the host lifted. */
  readonly budgets: { readonly [Name in BudgetName]: RateLimitBudget | undefined }
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Far above what people behind one address need, far below what guessing needs. */
export const defaultBudgets: RateLimitBudgets = {
  signIn: { limit: 60, windowSeconds: minute },
  callback: { limit: 60, windowSeconds: minute },
  webAuthnOptions: { limit: 60, windowSeconds: minute },
  sessionUpdate: { limit: 120, windowSeconds: minute },
  signOut: { limit: 60, windowSeconds: minute },
  moves: { limit: 60, windowSeconds: minute },
  failuresPerNetworkAndAccount: { limit: 10, windowSeconds: 15 * minute },
  failuresPerNetwork: { limit: 100, windowSeconds: hour },
  // A proxy that is not listed has many visitors. The window is short, since an attacker behind it can use this up for all.
  failuresPerPeer: { limit: 300, windowSeconds: 10 * minute },
  // NIST SP 800-63B-4 section 3.2.2 requires at most 100. Fewer would make it easier to lock users out.
  failuresPerAccount: { limit: 100, windowSeconds: day },
  mailRepeats: { limit: 1, windowSeconds: 30 },
  mailsPerAddress: { limit: 5, windowSeconds: hour },
  mailsPerNetwork: { limit: 60, windowSeconds: 10 * minute },
  mailsPerPeer: { limit: 300, windowSeconds: 10 * minute },
  // Wide: each of these changes needs a recent sign-in, and a notice that is not sent would help a thief.
  noticesPerUser: { limit: 20, windowSeconds: hour },
}
