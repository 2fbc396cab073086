import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { explainMissingMethod, findMethod } from "../methods/find-method.js"
import { findBrokenRule } from "../methods/option-rules.js"
import { type Environment, findVariable, readProviderOptions } from "../runtime/environment.js"
import { merge } from "../runtime/merge.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"

/**
 * Sets options that the host left out from `AUTH_<ID>_ID`, `_SECRET`, `_ISSUER` or `_KEY`, where `<ID>` is the id in
 * upper case with `_` for `-`. A factory that was not called yet is called with them. Returns a new object.
 */
export function fillProvider(provider: Provider, env: Environment): ProviderConfig {
  if (typeof provider === "function") {
    // The id is known once the factory was called. Each factory's parameters are all optional here.
    const { id } = provider({} as never)
    return provider(readProviderOptions(id, env) as never)
  }
  // Hosts without type checks may have written anything here; it can be spread.
  const options: Readonly<Record<string, unknown>> = { ...(provider.options as object) }
  const id = typeof options["id"] === "string" ? options["id"] : provider.id
  const found = readProviderOptions(id, env)
  const missing = (findMethod(provider)?.environmentOptions(provider) ?? []).filter((option) => {
    return found[option] !== undefined && !Reflect.get(provider, option) && !options[option]
  })
  if (missing.length === 0) return provider
  return { ...provider, ...Object.fromEntries(missing.map((option) => [option, found[option]])) }
}

/**
 * A provider with its defaults: a factory that was not called yet is called, and the host's `options` override the
 * provider's own fields, `id` included.
 */
export function resolveProvider(provider: Provider, redirectProxyUrl: string | undefined): ResolvedProvider {
  // Each factory's parameters are all optional here.
  const { options, ...facts } = typeof provider === "function" ? provider({} as never) : provider
  const given = typeof options === "object" && options !== null ? options : undefined
  const method = findMethod(facts)
  // Without a method it is refused when the configuration is validated.
  return method ? method.resolve(facts, given, redirectProxyUrl) : (merge(facts, given) as ResolvedProvider)
}

/** Characters that need no escaping in a URL path. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** The first provider that cannot work. */
export function validateProviders(config: ResolvedConfig): AuthError | null {
  const { providers } = config
  for (const provider of providers) {
    const mistake = validateId(provider) ?? validateRules(provider) ?? validateByMethod(provider, config)
    if (mistake) return mistake
  }
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  return twice === undefined ? null : new InvalidConfiguration(`providers.${twice}: two providers have this id`)
}

function validateId({ id }: ResolvedProvider): AuthError | null {
  if (typeof id === "string" && idPattern.test(id)) return null
  return new InvalidConfiguration(
    "providers: each needs an id of letters, digits, dots, dashes and underscores, 128 at most",
  )
}

function validateRules(provider: ResolvedProvider): AuthError | null {
  const broken = findBrokenRule(provider)
  if (broken === null) return null
  const variable = broken.isMissing ? findVariable(provider.id, broken.option) : undefined
  const hint = variable === undefined ? "" : `; ${variable} sets it as well`
  return new InvalidConfiguration(`providers.${provider.id}.${broken.option}: ${broken.sentence}${hint}`)
}

function validateByMethod(provider: ResolvedProvider, config: ResolvedConfig): AuthError | null {
  const path = `providers.${provider.id}`
  const method = findMethod(provider)
  if (method) return method.validate(provider, path, config)
  return new InvalidConfiguration(`${path}${explainMissingMethod(provider)}`)
}
