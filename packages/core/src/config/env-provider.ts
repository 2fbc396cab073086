import type { Provider, ProviderConfig } from "../contract/provider.js"
import type { Environment } from "./environment.js"

/** What the environment may say of one provider. */
interface FromEnvironment {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly apiKey?: string
}

const suffixes: Readonly<Record<keyof FromEnvironment, string>> = {
  clientId: "ID",
  clientSecret: "SECRET",
  issuer: "ISSUER",
  apiKey: "KEY",
}

/**
 * A provider with what it lacks taken from `AUTH_<ID>_ID`, `_SECRET`, `_ISSUER` or `_KEY`, where the id is in upper
 * case with `_` for `-`. An uncalled factory is called with these. The given object is not written to.
 */
export function fillProvider(provider: Provider, env: Environment): ProviderConfig {
  if (typeof provider !== "function") return fillObject(provider, env)
  // A factory's id is known once it was called; its parameters are its own, all of them optional here.
  const { id } = provider({} as never)
  return provider(readVariables(id, env) as never)
}

function fillObject(provider: ProviderConfig, env: Environment): ProviderConfig {
  // Whatever a host without types wrote there can be spread.
  const options: Readonly<Record<string, unknown>> = { ...(provider.options as object) }
  const id = typeof options["id"] === "string" ? options["id"] : provider.id
  const variables = readVariables(id, env)
  const wanted = wantedFields(provider).filter((field) => {
    return variables[field] !== undefined && !Reflect.get(provider, field) && !options[field]
  })
  if (wanted.length === 0) return provider
  return { ...provider, ...Object.fromEntries(wanted.map((field) => [field, variables[field]])) }
}

function wantedFields({ type, optionRules }: ProviderConfig): readonly (keyof FromEnvironment)[] {
  if (type === "email") return ["apiKey"]
  if (type !== "oauth" && type !== "oidc") return []
  const fields = ["clientId", "clientSecret", "issuer"] as const
  return optionRules?.["apiKey"] ? [...fields, "apiKey"] : fields
}

/** The variable that sets an option of a provider; undefined where none does. */
export function findVariable(id: string, option: string): string | undefined {
  return isField(option) ? toVariable(id, option) : undefined
}

function isField(option: string): option is keyof FromEnvironment {
  return Object.hasOwn(suffixes, option)
}

function toVariable(id: string, field: keyof FromEnvironment): string {
  return `AUTH_${id.toUpperCase().replaceAll("-", "_")}_${suffixes[field]}`
}

function readVariables(id: string, env: Environment): FromEnvironment {
  const found = Object.keys(suffixes).flatMap((field) => {
    const name = findVariable(id, field) ?? ""
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    return value ? [[field, value] as const] : []
  })
  return Object.fromEntries(found)
}
