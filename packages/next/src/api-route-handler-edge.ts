import type { PagesHandler } from "./api-route-handler.js"
import type { NextConfigSource } from "./config.js"

/**
 * Takes the place of the handler in bundles for the edge, where an API route gets no request of Node: its code is left
 * out of `middleware.ts`.
 */
export function createPagesHandler(_source: NextConfigSource): PagesHandler {
  return async () => {
    const advice =
      'Remove `runtime: "edge"` from the API route, or use handlers.GET and handlers.POST in a route handler'
    throw new Error(`handlers.pages needs the runtime of Node. ${advice}`)
  }
}
