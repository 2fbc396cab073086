import type { RateLimitBudget, RateLimitBudgets, RateLimitOptions } from "../types/rate-limit.js"
import type { ResolvedConfig } from "../types/resolved.js"

export type BudgetName = keyof RateLimitBudgets

export interface ResolvedRateLimit extends Omit<RateLimitOptions, "budgets"> {
  /** Undefined if the host turned a budget off. */
  readonly budgets: { readonly [Name in BudgetName]: RateLimitBudget | undefined }
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Far above what people behind one address need, far below what guessing a password needs. */
export const defaultBudgets: RateLimitBudgets = {
  signIn: { limit: 60, windowSeconds: minute },
  callback: { limit: 60, windowSeconds: minute },
  webAuthnOptions: { limit: 60, windowSeconds: minute },
  sessionUpdate: { limit: 120, windowSeconds: minute },
  signOut: { limit: 60, windowSeconds: minute },
  failuresPerNetworkAndAccount: { limit: 10, windowSeconds: 15 * minute },
  failuresPerNetwork: { limit: 100, windowSeconds: hour },
  // NIST SP 800-63B-4 section 3.2.2 allows at most 100. Fewer would make it easier to lock a user out.
  failuresPerAccount: { limit: 100, windowSeconds: day },
  mailRepeats: { limit: 1, windowSeconds: 30 },
  mailsPerAddress: { limit: 5, windowSeconds: hour },
  mailsPerNetwork: { limit: 60, windowSeconds: 10 * minute },
}

/** Null if nothing is limited: by default, that is outside of production. */
export function resolveRateLimit({
  rateLimit,
  isProduction,
}: Pick<ResolvedConfig, "rateLimit" | "isProduction">): ResolvedRateLimit | null {
  if (rateLimit === false || (rateLimit === undefined && !isProduction)) return null
  const names = Object.keys(defaultBudgets) as BudgetName[] // The keys of a literal record.
  const budgets = names.map((name) => [name, chooseBudget(name, rateLimit)])
  // One entry for each name, from the line above.
  return { ...rateLimit, budgets: Object.fromEntries(budgets) as ResolvedRateLimit["budgets"] }
}

function chooseBudget(name: BudgetName, options: RateLimitOptions | undefined): RateLimitBudget | undefined {
  const given = options?.budgets?.[name]
  return given === false ? undefined : (given ?? defaultBudgets[name])
}
