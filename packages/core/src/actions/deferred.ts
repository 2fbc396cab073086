import type { Route } from "./needs.js"

/**
 * A route whose code is loaded with its first request. What every visitor asks for, the session above all, is there at
 * once.
 */
export function deferred(load: () => Promise<Route>): Route {
  let loaded: Promise<Route> | undefined
  return async (visit, needs) => {
    loaded ??= load()
    const route = await loaded
    return route(visit, needs)
  }
}
