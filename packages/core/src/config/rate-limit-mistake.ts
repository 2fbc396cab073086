import { defaultBudgets } from "./rate-limit.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** Counters that live longer than a year are not kept by any store. */
const maxWindowSeconds = 365 * 24 * 60 * 60

const storeMethods = ["consume", "refund", "has", "forget"] as const

/** What keeps requests from being counted. */
export function findRateLimitMistake({ rateLimit }: ResolvedConfig): string | null {
  if (rateLimit === undefined || rateLimit === false) return null
  if (!isObject(rateLimit)) return "rateLimit: must be an object, or false"
  const { budgets = {}, store, whenStoreFails, accountOf } = rateLimit
  if (store !== undefined && !isStore(store)) return `rateLimit.store: must have ${storeMethods.join(", ")}`
  if (whenStoreFails !== undefined && whenStoreFails !== "count-locally" && whenStoreFails !== "refuse") {
    return 'rateLimit.whenStoreFails: must be "count-locally" or "refuse"'
  }
  if (accountOf !== undefined && typeof accountOf !== "function") return "rateLimit.accountOf: must be a function"
  if (!isObject(budgets)) return "rateLimit.budgets: must be an object"
  return findBudgetMistake(budgets)
}

function findBudgetMistake(budgets: object): string | null {
  for (const [name, budget] of Object.entries(budgets)) {
    const path = `rateLimit.budgets.${name}`
    if (!Object.hasOwn(defaultBudgets, name)) {
      return `${path}: there is no such budget, only ${Object.keys(defaultBudgets).join(", ")}`
    }
    if (budget === undefined || budget === false) continue
    if (!isCount(Reflect.get(Object(budget), "limit"), Number.MAX_SAFE_INTEGER)) {
      return `${path}.limit: must be a whole number of 1 or more; false lifts the budget`
    }
    if (!isCount(Reflect.get(Object(budget), "windowSeconds"), maxWindowSeconds)) {
      return `${path}.windowSeconds: must be a whole number of seconds, 1 or more and at most a year`
    }
  }
  return null
}

function isStore(store: unknown): boolean {
  return isObject(store) && storeMethods.every((method) => typeof Reflect.get(store, method) === "function")
}

function isCount(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
