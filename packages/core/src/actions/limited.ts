import type { ActionBudget } from "../limits/limits.js"
import type { Route } from "./needs.js"

/**
 * Lets a visitor through as long as their network has not asked too often. Inside of `guarded`: forged forms cost
 * nobody anything.
 */
export function limited(budget: ActionBudget, route: Route): Route {
  return async (visit, needs) => {
    await needs.limits.admit(budget, visit)
    return route(visit, needs)
  }
}
