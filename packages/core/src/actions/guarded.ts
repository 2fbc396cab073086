import type { Route } from "./needs.js"

/** Lets a form through only when it is one of ours. */
export function guarded(route: Route): Route {
  return async (visit, needs) => {
    await needs.csrf.assertVerified(visit)
    return route(visit, needs)
  }
}
