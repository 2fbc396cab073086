import { setEnvDefaults } from "../config/env.js"
import { findDefect, resolveProvider } from "../config/providers.js"
import { warnAboutSecrets } from "../config/validate.js"
import { createLog } from "../log/log.js"
import { type Environment, readProcessEnv } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"
import type { ConfigSource, HostConfig } from "./config.js"

/** Long enough for an app that loads its variables while it starts. */
const delayMilliseconds = 1_000

/**
 * Warns, soon after the app has started, about weak secrets and missing variables such as `AUTH_SECRET` and `AUTH_GITHUB_ID`. Otherwise
 * the first visitor would be the one to notice.
 *
 * Does nothing for a function, which needs a request; without variables of the process, as on some workers; and while
 * Next.js builds an app, where secrets are often absent on purpose.
 */
export function warnAtStart<Req>(source: ConfigSource<Req>): void {
  const env = readProcessEnv()
  if (typeof source === "function" || Object.keys(env).length === 0) return
  if (env["NEXT_PHASE"] === "phase-production-build") return
  try {
    const timer: unknown = setTimeout(() => {
      warnAboutMissing(source, env)
      void warnAboutTables(source)
    }, delayMilliseconds)
    // A script that only imports the configuration must not wait for it.
    if (hasUnref(timer)) timer.unref()
  } catch {
    // Some workers have no timers outside of requests.
  }
}

/** Node's timers keep the process alive unless told otherwise; those of other runtimes are numbers. */
function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function"
}

function warnAboutMissing(given: HostConfig, env: Environment): void {
  const config: AuthConfig = { ...given }
  const log = createLog(config.logger)
  try {
    setEnvDefaults(env, config, true)
    if (!config.secret?.length) log.warnOnce("secret-missing")
    // In production a weak one fails every request, like a missing one.
    warnAboutSecrets([config.secret ?? [], config.jwt?.secret ?? []].flat().filter(Boolean), log)
    for (const provider of config.providers) {
      const defect = findDefect(resolveProvider(provider, undefined))
      if (defect) log.warnOnce("provider-unusable", defect.message)
    }
  } catch {
    // A configuration that cannot be read is reported with the first request.
  }
}

/** An adapter that can ask its database on a connection of its own. */
interface TableFinder {
  findMissingTables(): Promise<readonly string[]>
}

function canFindTables(adapter: object | undefined): adapter is TableFinder {
  return adapter !== undefined && "findMissingTables" in adapter && typeof adapter.findMissingTables === "function"
}

/** Otherwise, the first sign-in would be the one to notice that the database was not migrated. */
async function warnAboutTables({ adapter, logger }: HostConfig): Promise<void> {
  if (!canFindTables(adapter)) return
  try {
    const missing = await adapter.findMissingTables()
    if (missing.length > 0) createLog(logger).warnOnce("tables-missing", `Missing: ${missing.join(", ")}`)
  } catch {
    // A database that is away is reported with the first request that needs it.
  }
}
