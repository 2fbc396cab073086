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

type ModeConfig = Pick<AuthConfig, "trustHost" | "allowedOrigins">

/** Remembers what the environment decides about a configuration. */
export function setMode(config: ModeConfig, mode: FoundMode): void {
  found.set(config, mode)
}

/** Remembers which part of the public path a proxy has to cut off. */
export function setCutPath(config: ModeConfig, cutPath: string): void {
  const mode = found.get(config)
  if (mode) found.set(config, { ...mode, cutPath })
}

/** Whether the app leaves `trustHost` to the environment. If so, the environment may set it, also a second time. */
export function isHostOpen(config: ModeConfig): boolean {
  const { trustHost = null } = config
  return trustHost === null || found.get(config)?.trustHost === trustHost
}

/** For a copy of a configuration whose `trustHost` came from the environment: that of its original does, too. */
export function copyMode(original: ModeConfig, copy: ModeConfig): void {
  const mode = found.get(original)
  if (mode) found.set(copy, mode)
}

/** The mode of a configuration. Without `setEnvDefaults` the environment of the process decides. */
export function findMode(config: ModeConfig): Mode {
  const mode = found.get(config)
  if (!mode) return { isProduction: isProduction(), localHosts: null }
  // A list of origins says which hosts the app has.
  const isConfigured = !isHostOpen(config) || config.allowedOrigins !== undefined
  return isConfigured ? { ...mode, localHosts: null } : mode
}
