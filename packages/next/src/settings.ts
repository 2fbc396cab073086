import { findConfiguredUrl } from "@latchkey/core"
import { type Settings, settingsOf } from "@latchkey/core/integration"
import { findMount, type Mount, readAppPath, toPublicPage } from "./app-paths.js"
import type { NextAuthConfig } from "./config.js"

/** A configuration as the service takes it, and where its route stands. */
export interface NextSettings {
  readonly settings: Settings
  readonly mount: Mount
}

/** The configuration with pages as visitors see them: one object for each, so that the core resolves it once. */
const published = new WeakMap<NextAuthConfig, NextAuthConfig>()

/** The settings for a configuration, with what `process.env` and Next's `basePath` add. */
export function settingsFor(given: NextAuthConfig): NextSettings {
  const { env } = process
  const appPath = readAppPath()
  const mount = findMount(given.basePath, findConfiguredUrl(env)?.pathname, appPath)
  const config = appPath === "" ? given : publish(given, appPath)
  return { settings: settingsOf(config, { env, mountPath: mount.publicPath }), mount }
}

function publish(given: NextAuthConfig, appPath: string): NextAuthConfig {
  const known = published.get(given)
  if (known) return known
  const pages = Object.entries(given.pages ?? {}).map(([name, page]) => [name, toPublicPage(page, appPath)])
  const config: NextAuthConfig = { ...given, pages: Object.fromEntries(pages) }
  published.set(given, config)
  return config
}
