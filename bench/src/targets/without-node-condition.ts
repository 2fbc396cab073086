// Preloaded with `--import`: packages are resolved as an edge runtime does, by their `default` conditions.
import { registerHooks } from "node:module"

registerHooks({
  resolve(specifier, context, nextResolve) {
    const conditions = context.conditions.filter((condition) => condition !== "node" && condition !== "node-addons")
    return nextResolve(specifier, { ...context, conditions })
  },
})
