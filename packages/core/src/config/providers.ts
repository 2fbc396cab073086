import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { explainMissingMethod, findMethod } from "../methods/find-method.js"
import { validateRules } from "../methods/option-rules.js"
import { type Environment, readProviderOptions } from "../runtime/environment.js"
import { merge } from "../runtime/merge.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"

/**
 * Sets missing options from `AUTH_<ID>_ID`, `_SECRET`, `_ISSUER` and `_KEY`, where `<ID>` is the provider's id in upper
 * case with `_` for `-`. Calls a factory that was passed uncalled with them. Never writes to the provider.
 */
export function fillProvider(provider: Provider, env: Environment): ProviderConfig {
  if (typeof provider === "function") {
    // Only the provider knows its id. All parameters of a factory that can be passed uncalled are optional.
    const { id } = provider({})
    return provider(readProviderOptions(id, env))
  }
  // Anything that JavaScript hosts pass here can be spread.
  const options: Readonly<Record<string, unknown>> = { ...(provider.options as object) }
  const id = typeof options["id"] === "string" ? options["id"] : provider.id
  const found = readProviderOptions(id, env)
  const method = findMethod(provider)
  if (method?.fillNested) return method.fillNested(provider, (nested) => fillProvider(nested, env))
  const missing = (method?.environmentOptions(provider) ?? []).filter((option) => {
    return found[option] !== undefined && !Reflect.get(provider, option) && !options[option]
  })
  if (missing.length === 0) return provider
  return { ...provider, ...Object.fromEntries(missing.map((option) => [option, found[option]])) }
}

/**
 * Fills in a provider's defaults. Calls a factory that was passed uncalled, and merges the host's `options` over the
 * provider's own fields, `id` included.
 */
export function resolveProvider(provider: Provider, redirectProxyUrl: string | undefined): ResolvedProvider {
  // All parameters of a factory that can be passed uncalled are optional.
  const made = typeof provider === "function" ? callFactory(provider) : provider
  const { options } = made
  // Leaving a field out of a copy takes longer than copying all.
  const facts = Object.hasOwn(made, "options") ? withoutOptions(made) : { ...made }
  // Objects in plain JavaScript may have no name, which the pages show. This object is a copy.
  if ((facts.name ?? null) === null) Object.assign(facts, { name: facts.id })
  const own = typeof options === "object" && options !== null ? options : undefined
  const pasted = findTrimmed(facts)
  if (pasted) Object.assign(facts, pasted)
  const trimmed = own && findTrimmed(own)
  const given = trimmed ? merge(own, trimmed) : own
  const method = findMethod(facts)
  // `validateProviders` refuses a provider without a method.
  return method ? method.resolve(facts, given, redirectProxyUrl) : (merge(facts, given) as ResolvedProvider)
}

function withoutOptions({ options: _, ...facts }: ProviderConfig): ProviderConfig {
  return facts
}

/** @throws TypeError for a function of an app in JavaScript that returns something else */
function callFactory(factory: Exclude<Provider, ProviderConfig>): ProviderConfig {
  const made: unknown = factory({})
  if (typeof made !== "object" || made === null || "then" in made)
    throw new TypeError(
      `the function ${factory.name} returns no provider. Call it with its options, and await a promise`,
    )
  return made as ProviderConfig // as: validated with all others.
}

const pastedOptions = ["clientId", "clientSecret", "issuer"] as const

/** Those of these options that end with a line end, without it: none has one (RFC 6749 appendix A), but files do. */
function findTrimmed(options: object): object | undefined {
  // Some hosts pass a new configuration with each request: nothing is allocated for usual values.
  let found: Record<string, string> | undefined
  for (const name of pastedOptions) {
    const value: unknown = Reflect.get(options, name)
    if (typeof value === "string" && /[\r\n]$/.test(value)) found = { ...found, [name]: value.trim() }
  }
  return found
}

/** Characters that need no escaping in a URL path. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** Checks the options of a provider of any method beyond those that the method itself checks. */
export type ValidateProvider = (provider: ResolvedProvider, path: string) => AuthError | null

/** The first mistake in the providers. Null if there is none. */
export function validateProviders(config: ResolvedConfig, validateMore?: ValidateProvider): AuthError | null {
  const { providers } = config
  for (const provider of providers) {
    const mistake = validateId(provider) ?? validateByMethod(provider, config, validateMore)
    if (mistake) return mistake
  }
  const ids = new Set<string>()
  for (const { id } of providers) {
    if (ids.has(id)) {
      return new InvalidConfiguration(`providers.${id}: two providers have this id. Set another id for one of them`)
    }
    ids.add(id)
  }
  return null
}

function validateId({ id }: ResolvedProvider): AuthError | null {
  if (typeof id === "string" && idPattern.test(id)) return null
  return new InvalidConfiguration(
    "providers: each needs an id of 1 to 128 letters, digits, dots, dashes and underscores",
  )
}

function validateByMethod(
  provider: ResolvedProvider,
  config: ResolvedConfig,
  validateMore?: ValidateProvider,
): AuthError | null {
  const path = `providers.${provider.id}`
  const method = findMethod(provider)
  const brokenRule = method?.findDefect ? null : validateRules(provider, path)
  if (brokenRule) return brokenRule
  if (method) return method.validate(provider, path, config) ?? validateMore?.(provider, path) ?? null
  return new InvalidConfiguration(`${path}${explainMissingMethod(provider)}`)
}

/** What keeps visitors from signing in with a provider, although the configuration is valid. Null if nothing does. */
export function findDefect(provider: ResolvedProvider): AuthError | null {
  return findMethod(provider)?.findDefect?.(provider, `providers.${provider.id}`) ?? null
}
