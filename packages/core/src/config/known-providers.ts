import { findMethod } from "../methods/find-method.js"
import { BoundedMap } from "../runtime/cache.js"
import { isPlain } from "../runtime/instance.js"
import { signInMethod } from "../types/basics.js"
import type { AuthConfig } from "../types/config.js"
import type { Provider } from "../types/providers.js"
import type { Resolution, ResolvedProvider } from "../types/resolved.js"
import { isObject } from "./options.js"
import { resolveProvider } from "./providers.js"
import { resolveConfig } from "./resolve.js"
import { validateConfig } from "./validate.js"

// For apps that create a configuration for each request. Their providers are usually those of an earlier request, so that
// validating them again would find nothing. They are compared value by value, never by identity: an app may write to a
// shared provider object for each tenant.

/** The plain data of a value, without the app's functions. */
class Shape {
  readonly isList: boolean
  readonly keys: readonly PropertyKey[]
  readonly values: readonly unknown[]

  constructor(value: object, values: readonly unknown[]) {
    this.isList = Array.isArray(value)
    this.keys = listKeys(value)
    this.values = values
  }
}

/** Takes a tenth of the time of `Reflect.ownKeys`. */
function listKeys(value: object): readonly PropertyKey[] {
  const names = Object.keys(value)
  const symbols = Object.getOwnPropertySymbols(value)
  return symbols.length === 0 ? names : [...names, ...symbols]
}

/** Stands for any function: an app that creates its providers anew has new functions each time. */
const anyFunction = Symbol("a function")

/** Functions that take part in the validation count by identity. */
const validating: ReadonlySet<PropertyKey> = new Set(["optionRules", "derive"])

/** @returns a shape that matches nothing for an object of a class and for a getter: they may change without notice */
function toShape(value: unknown, isValidating = false): unknown {
  if (typeof value === "function") return isValidating ? value : anyFunction
  if (typeof value !== "object" || value === null) return value
  if (!(Array.isArray(value) || isPlain(value))) return Symbol()
  const values = listKeys(value).map((key) => {
    const field: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
    return key === signInMethod ? field : toShape(field, isValidating || validating.has(key))
  })
  return new Shape(value, values)
}

/** Whether a value has this shape. Collects its functions. */
function matches(shape: unknown, value: unknown, functions: unknown[]): boolean {
  if (shape === anyFunction) {
    functions.push(value)
    return typeof value === "function"
  }
  if (!(shape instanceof Shape)) return Object.is(shape, value)
  if (!isObject(value) || (shape.isList ? !Array.isArray(value) : !isPlain(value))) return false
  const keys = listKeys(value)
  if (keys.length !== shape.keys.length) return false
  for (let n = 0; n < keys.length; n++) {
    const key = keys[n] ?? ""
    if (key !== shape.keys[n] || !matches(shape.values[n], Reflect.get(value, key), functions)) return false
  }
  return true
}

/** A value of this shape, with these functions in their order. */
function fromShape(shape: unknown, functions: Iterator<unknown>): unknown {
  if (shape === anyFunction) return functions.next().value
  if (!(shape instanceof Shape)) return shape
  const values = shape.values.map((value) => fromShape(value, functions))
  if (shape.isList) return values
  return Object.fromEntries(shape.keys.map((key, n) => [key, values[n]]))
}

interface KnownProviders {
  /** Of a list with `redirectProxyUrl` and the providers. */
  readonly shape: unknown
  /** As they were resolved with the first such configuration. For what does not depend on the app's functions. */
  readonly providers: readonly ResolvedProvider[]
}

/** Enough for the tenants of a busy app. Null: differs each time, so that comparing it would be in vain. */
const known = new BoundedMap<string, KnownProviders | null>(256)

/** Whether the validation of a provider depends on nothing else: then it does not take the configuration. */
function isComparable(provider: ResolvedProvider): boolean {
  const method = findMethod(provider)
  return method !== null && method.validate.length < 3
}

/** What is compared: a factory that was passed uncalled is called. */
function listCompared({ providers, redirectProxyUrl }: AuthConfig): readonly unknown[] {
  return [redirectProxyUrl, ...providers.map((provider) => (typeof provider === "function" ? provider({}) : provider))]
}

/** Tells the providers of different tenants apart, for the most part. */
function toKey(compared: readonly unknown[]): string {
  const { id, clientId, options } = Object(compared.at(-1))
  return [compared.length, id, clientId ?? options?.clientId].map(String).join()
}

/**
 * Resolves a configuration whose providers were validated before, but not the providers: a session check needs none of
 * them. Null if they are new, or if a feature may need them.
 */
export function resolveKnown(config: AuthConfig, environment: Parameters<typeof resolveConfig>[1]): Resolution | null {
  if (config.providers.length === 0) return null
  const compared = listCompared(config)
  const found = known.get(toKey(compared))
  if (!found) return null
  const functions: unknown[] = []
  if (!matches(found.shape, compared, functions)) return null
  const providers: ResolvedProvider[] = []
  const resolved = { ...resolveConfig({ ...config, providers: [] }, environment), providers }
  if (resolved.features.length > 0) return null
  return {
    resolved,
    mistake: validateConfig({ ...resolved, providers: found.providers }, () => null),
    addProviders() {
      // as: has the shape of the list, which is that of the app's providers when the configuration was first used.
      const [proxy, ...own] = fromShape(found.shape, functions.values()) as [string | undefined, ...Provider[]]
      for (const provider of own) providers.push(resolveProvider(provider, proxy))
    },
  }
}

/** Keeps the providers of a valid configuration. */
export function keepKnown(config: AuthConfig, { resolved, mistake }: Resolution): void {
  const { providers, features } = resolved
  if (mistake || features.length > 0 || !providers.every(isComparable)) return
  try {
    const compared = listCompared(config)
    const key = toKey(compared)
    known.set(key, known.has(key) ? null : { shape: toShape(compared), providers })
  } catch {
    // Cyclic data: resolved with each configuration.
  }
}
