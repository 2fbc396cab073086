import type { Context } from "hono"
import type { HonoAuthConfig } from "./request-state.js"

type Found = HonoAuthConfig | PromiseLike<HonoAuthConfig>

interface Known {
  readonly bindings: ReadonlyMap<string, unknown>
  readonly found: Found
}

/**
 * A configuration made of a worker's bindings, and made again only when one of them is another:
 * `HonoAuth(fromBindings((env: Bindings) => ({ adapter: adapterFor(env.DB), providers: [...] })))`.
 *
 * Not needed for what the environment says anyway, such as `AUTH_SECRET` and `AUTH_GITHUB_ID`: the texts among the
 * bindings count as environment.
 * @param create Must go by its argument alone.
 */
export function fromBindings<Bindings extends object>(create: (bindings: Bindings) => Found): (c: Context) => Found {
  let known: Known | undefined
  return ({ env }) => {
    const bindings = new Map<string, unknown>(Object.entries(env ?? {}))
    if (known && isSame(known.bindings, bindings)) return known.found
    const made: Known = { bindings, found: create(env as Bindings) } // What an app's bindings are, only the app says.
    known = made
    Promise.resolve(made.found).catch(() => {
      if (known === made) known = undefined // What failed once is tried again; the caller has the error.
    })
    return made.found
  }
}

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  if (one.size !== other.size) return false
  for (const [name, value] of one) if (!other.has(name) || other.get(name) !== value) return false
  return true
}
