import { createObjectCache } from "../runtime/cache.js"
import { isProduction } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"
import type { LocalHosts } from "../types/resolved.js"

/** What the environment decides about a configuration besides its options. */
export interface Mode {
  /** Turns rate limits on, rejects weak secrets, and keeps details for developers off the pages. */
  readonly isProduction: boolean
  /** The hosts that are trusted. Null: the option `trustHost` trusts all of them, or none. */
  readonly localHosts: LocalHosts | null
  /** The value of `AUTH_URL`. Undefined if it is not set. */
  readonly authUrl?: string | undefined
  /** The beginning of its path that a proxy has to cut off, such as `/app`. */
  readonly cutPath?: string | undefined
}

/** What `setEnvDefaults` found for a configuration. */
export interface FoundMode extends Mode {
  /** The value of `trustHost` that the environment set. Undefined if the app set one. */
  readonly trustHost: boolean | undefined
}

const found = createObjectCache<FoundMode>()

type ModeConfig = {
  readonly [Name in "trustHost" | "allowedOrigins" | "secret" | "providers"]?: AuthConfig[Name] | undefined
}

/** Remembers what the environment decides about a configuration. */
export function setMode(config: ModeConfig, mode: FoundMode): void {
  found.set(config, mode)
}

/**
 * What a copy of a configuration shares with it, and `setEnvDefaults` may have created. Getters are not called: they may
 * return another object each time, or throw.
 */
export function listParts(config: ModeConfig): readonly object[] {
  const read = (name: keyof ModeConfig): unknown => Object.getOwnPropertyDescriptor(config, name)?.value
  const providers = read("providers")
  const parts: readonly unknown[] = [providers, ...(Array.isArray(providers) ? providers : []), read("secret")]
  return parts.filter((part) => Object(part) === part) as readonly object[] // as: no others are equal to their object
}

/**
 * Lets copies of a configuration find its mode: those of `{ ...config }` and `Object.assign` share the list of providers, or
 * some of them, or the secret. A symbol would be copied as well, but it would show up when the options are compared or listed.
 * @param before The parts that the app itself passed, which other configurations of it may have.
 */
export function shareMode(config: ModeConfig, before: readonly object[]): void {
  const mode = found.get(config)
  if (!mode) return
  for (const part of listParts(config)) if (!before.includes(part) || found.get(part)) found.set(part, mode)
}

function getFound(config: ModeConfig): FoundMode | undefined {
  const own = found.get(config)
  if (own) return own
  for (const part of listParts(config)) {
    const shared = found.get(part)
    if (shared) return shared
  }
  return undefined
}

/** Remembers which part of the public path a proxy has to cut off. */
export function setCutPath(config: ModeConfig, cutPath: string): void {
  const mode = getFound(config)
  if (mode) found.set(config, { ...mode, cutPath })
}

/** Whether the app leaves `trustHost` to the environment. If so, the environment may set it, also a second time. */
export function isHostOpen(config: ModeConfig): boolean {
  const { trustHost = null } = config
  return trustHost === null || getFound(config)?.trustHost === trustHost
}

/** For a copy of a configuration whose `trustHost` came from the environment: that of its original does, too. */
export function copyMode(original: ModeConfig, copy: ModeConfig): void {
  const mode = getFound(original)
  if (mode) found.set(copy, mode)
}

/** The mode of a configuration. Without `setEnvDefaults` the environment of the process decides. */
export function findMode(config: ModeConfig): Mode {
  const mode = getFound(config)
  if (!mode) return { isProduction: isProduction(), localHosts: null }
  // A list of origins says which hosts the app has.
  const isConfigured = !isHostOpen(config) || config.allowedOrigins !== undefined
  return isConfigured ? { ...mode, localHosts: null } : mode
}
