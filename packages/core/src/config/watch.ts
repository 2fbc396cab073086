import { isPlain } from "../runtime/instance.js"
import type { AuthConfig } from "../types/config.js"
import { options } from "./options.js"

/**
 * Returns a function that tells whether a configuration is unchanged: an app that writes to its object, such as for each
 * tenant, must not be served what it held before. Notices new values of the options and of the list of providers, but
 * nothing inside of them. Options with a getter are left out: it may return another object each time, or throw.
 */
export function watchConfig(config: Omit<AuthConfig, "raw">): () => boolean {
  const isSameValue = hasOnlyFields(config) ? watchFields(config) : watchOptions(config)
  const list: unknown = hasGetter(config, "providers") ? undefined : config.providers
  if (!Array.isArray(list) || list.length === 0) return isSameValue
  const providers: readonly unknown[] = [...list]
  return () => {
    if (!isSameValue()) return false
    if (list.length !== providers.length) return false
    for (let n = 0; n < providers.length; n++) if (list[n] !== providers[n]) return false
    return true
  }
}

function hasGetter(config: object, name: string): boolean {
  return Object.getOwnPropertyDescriptor(config, name)?.get !== undefined
}

/** Whether a `for...in` loop sees every option. It does not see those of a class. */
function hasOnlyFields(config: object): boolean {
  return isPlain(config) && Object.keys(config).length === Reflect.ownKeys(config).length
}

/** A `for...in` loop over a plain object takes a tenth of the time of reading each option by its name. */
function watchFields(config: object): () => boolean {
  const fields = config as Readonly<Record<string, unknown>> // Read below by its own names.
  const names = Object.keys(config)
  const isWatched = names.map((name) => Object.hasOwn(options, name) && !hasGetter(config, name))
  const values = names.map((name, n) => (isWatched[n] ? fields[name] : undefined))
  return () => {
    let n = 0
    for (const name in fields) {
      if (name !== names[n] || (isWatched[n] && fields[name] !== values[n])) return false
      n++
    }
    return n === names.length
  }
}

function watchOptions(config: object): () => boolean {
  const watched = Object.keys(options)
    .filter((name) => !hasGetter(config, name))
    .map((name) => [name, Reflect.get(config, name) as unknown] as const)
  return () => watched.every(([name, value]) => Reflect.get(config, name) === value)
}
