/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of the process; empty on runtimes without a `process`, such as workers. */
export function readProcessEnv(): Environment {
  const host = globalThis as { process?: { env?: Environment } } // Workers have no `process`.
  return host.process?.env ?? {}
}

/**
 * Whether the app runs in production: unless `NODE_ENV` is `development` or `test`. Many platforms and start scripts do
 * not set it, and an app that forgets it must not lose its protection.
 * @param env Default: the environment of the process.
 */
export function isProduction(env: Environment = readProcessEnv()): boolean {
  const mode = env["NODE_ENV"]
  return mode !== "development" && mode !== "test"
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
    // Files and consoles add a line end that no such value has.
    const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined
    return value ? [[option, value] as const] : []
  })
  return Object.fromEntries(found)
}

function isProviderOption(option: string): option is ProviderOption {
  return Object.hasOwn(suffixes, option)
}
