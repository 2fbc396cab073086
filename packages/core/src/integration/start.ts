import { setEnvDefaults } from "../config/env.js"
import { findDefect, resolveProvider } from "../config/providers.js"
import { assertConfig, warnAboutSecrets } from "../config/validate.js"
import { AuthError } from "../errors/auth-error.js"
import { createLog } from "../log/log.js"
import { type Environment, readProcessEnv } from "../runtime/environment.js"
import { isPromiseLike } from "../runtime/promise.js"
import { findMistake } from "../service.js"
import type { Awaitable } from "../types/basics.js"
import type { AuthConfig } from "../types/config.js"
import type { ConfigSource, HostConfig } from "./config.js"

/** Long enough for an app that loads its variables while it starts. */
const delayMilliseconds = 1_000

/**
 * Checks the configuration when the app starts. Otherwise the first visitor would be the one to notice a mistake.
 *
 * Logs at once what is wrong with the options, and soon afterwards what the environment may still change: a missing or weak
 * secret, a client ID, tables. Never throws, so that a build that only loads the app's modules goes on.
 *
 * Does nothing for a function, which needs a request. Waits for no variables where a process has none, as on some workers,
 * and while Next.js builds an app, where secrets are often absent on purpose.
 * Hands the configuration to the function that `latchkey doctor` registers, if the app's modules are loaded by it.
 * @param readEnv The variables of the app, once they are loaded. Default: those of the process.
 */
export function warnAtStart<Req>(
  source: ConfigSource<Req>,
  readEnv: () => Awaitable<Environment> = readProcessEnv,
): void {
  if (isTaken(source)) return
  const env = readProcessEnv()
  if (typeof source === "function") return
  logMistake(source, env, canChange)
  if (Object.keys(env).length === 0 || env["NEXT_PHASE"] === "phase-production-build") return
  try {
    const timer: unknown = setTimeout(() => void warnLater(source, readEnv), delayMilliseconds)
    // A script that only imports the configuration must not wait for it.
    if (hasUnref(timer)) timer.unref()
  } catch {
    // Some workers have no timers outside of requests.
  }
}

/** Whether `latchkey doctor` has loaded the app's modules to read the configuration. It examines it itself. */
function isTaken(source: unknown): boolean {
  const take: unknown = Reflect.get(globalThis, Symbol.for("latchkey.doctor"))
  if (typeof take !== "function") return false
  take(source)
  return true
}

async function warnLater(source: HostConfig, readEnv: () => Awaitable<Environment>): Promise<void> {
  try {
    const read = readEnv()
    const env = isPromiseLike(read) ? await read : read
    const mistake = logMistake(source, env, isMissingSecret)
    // Others would produce misleading warnings.
    if (!mistake || isMissingSecret(mistake)) warnAboutMissing(source, env)
    await warnAboutTables(source)
  } catch {
    // What cannot be read is reported with the first request.
  }
}

/** Logged as a warning. */
const isMissingSecret = ({ type }: AuthError): boolean => type === "MissingSecret"

/** Logs the first mistake in a configuration, once for each logger, unless it is one to wait for. */
function logMistake(given: HostConfig, env: Environment, isOpen: (mistake: AuthError) => boolean): AuthError | null {
  try {
    assertConfig(given)
    const config: AuthConfig = { ...given }
    setEnvDefaults(env, config, true)
    const mistake = findMistake(config)
    if (mistake && !isOpen(mistake)) createLog(config.logger).mistakeOnce(mistake)
    return mistake
  } catch (thrown) {
    // Others than ours, such as those of a getter, are reported with the first request.
    if (thrown instanceof AuthError) createLog(undefined).mistakeOnce(thrown)
    return null
  }
}

/** Whether variables that the app has not loaded yet may mend a mistake. Its sentence names them then. */
function canChange({ type, message }: AuthError): boolean {
  return type === "MissingSecret" || type === "UntrustedHost" || /\bAUTH_[A-Z\d]/.test(message)
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
