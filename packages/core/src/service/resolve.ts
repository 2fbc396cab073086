import { isProduction } from "../config/environment.js"
import { findMistake } from "../config/find-mistake.js"
import { findMistypedOptions } from "../config/option-types.js"
import { resolveConfig } from "../config/resolve-config.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import type { AuthConfig } from "../contract/config.js"
import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/configuration.js"
import { toError } from "../errors/to-error.js"

/** A configuration with its defaults filled in, and what keeps it from working. */
interface Resolution {
  readonly resolved: ResolvedConfig
  readonly mistake: AuthError | null
}

/** Factories and odd values may throw while they are read; the service then answers that, and the log says why. */
export function resolve(config: AuthConfig): Resolution {
  const mistyped = findMistypedOptions(config)
  const [first] = mistyped
  if (!first) return resolveTyped(config)
  const others = Object.entries(config).filter(([name]) => !mistyped.some(({ option }) => option === name))
  // Providers may refer to what is left out here; without it they would be judged by something else.
  const readable = { ...Object.fromEntries(others), providers: [] }
  return { resolved: toReadable(readable), mistake: new InvalidConfiguration(first.sentence) }
}

function resolveTyped(config: AuthConfig): Resolution {
  try {
    const resolved = toResolved(config)
    return { resolved, mistake: findMistake(resolved) }
  } catch (error) {
    const cause = toError(error)
    const mistake = new InvalidConfiguration(`providers: cannot be read: ${cause.message}`, cause)
    return { resolved: toReadable(config), mistake }
  }
}

/** As much of a configuration as can be read. */
function toReadable({ basePath, ...config }: AuthConfig): ResolvedConfig {
  const place = basePath === undefined ? {} : { basePath }
  try {
    return toResolved({ ...config, ...place, providers: [] })
  } catch {
    // The mistake that is shown is the first one; what is needed to show it is where the service is mounted.
    return toResolved({ ...place, providers: [] })
  }
}

function toResolved(config: AuthConfig): ResolvedConfig {
  return resolveConfig(config, { isProduction: isProduction() })
}
