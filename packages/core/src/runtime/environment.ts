/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Whether `NODE_ENV` is `production`. Read at each call: tests and bundlers set it late. */
export function isProduction(): boolean {
  const host = globalThis as { process?: { env?: Environment } } // Some runtimes have no `process`.
  return host.process?.env?.["NODE_ENV"] === "production"
}

const suffixes = { clientId: "ID", clientSecret: "SECRET", issuer: "ISSUER", apiKey: "KEY" } as const

/** An option of a provider that an environment variable can set. */
export type ProviderOption = keyof typeof suffixes

/** The variable that sets an option of a provider, such as `AUTH_GITHUB_ID`. Undefined if no variable does. */
export function findVariable(providerId: string, option: string): string | undefined {
  if (!isProviderOption(option)) return undefined
  return `AUTH_${providerId.toUpperCase().replaceAll("-", "_")}_${suffixes[option]}`
}

/** The options of a provider that the environment sets. */
export function readProviderOptions(
  providerId: string,
  env: Environment,
): Readonly<Partial<Record<ProviderOption, string>>> {
  const found = Object.keys(suffixes).flatMap((option) => {
    const name = findVariable(providerId, option) ?? ""
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    return value ? [[option, value] as const] : []
  })
  return Object.fromEntries(found)
}

function isProviderOption(option: string): option is ProviderOption {
  return Object.hasOwn(suffixes, option)
}
