import type { AuthConfig } from "../contract/config.js"
import { createLog } from "../log/log.js"
import { fillProvider } from "./env-provider.js"
import type { Environment } from "./environment.js"

/** Each of these says that the host header can be believed. */
const trustVariables = ["AUTH_URL", "NEXTAUTH_URL", "AUTH_TRUST_HOST", "VERCEL", "CF_PAGES"] as const

/**
 * Fills in what a configuration leaves out from the environment, in place: `secret`, `basePath`, `redirectProxyUrl`,
 * `trustHost`, and each provider's client id, secret, issuer or API key. What the host wrote wins.
 * @param suppressBasePathWarning For integrations that set `basePath` themselves.
 */
export function setEnvDefaults(env: Environment, config: AuthConfig, suppressBasePathWarning = false): void {
  fillSecret(env, config)
  fillBasePath(env, config, suppressBasePathWarning)
  const proxy = config.redirectProxyUrl ?? env["AUTH_REDIRECT_PROXY_URL"]
  if (proxy !== undefined) config.redirectProxyUrl = proxy
  config.trustHost ??= trustVariables.some((name) => isOn(env[name])) || env["NODE_ENV"] !== "production"
  config.providers = config.providers.map((provider) => fillProvider(provider, env))
}

/** Set, and not to a word that says no. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value.trim())
}

/** Whether the process says that it serves real people. Read where it is asked, since tests and bundlers set it late. */
export function isProduction(): boolean {
  const host = globalThis as { process?: { env?: Environment } } // Not every runtime has a `process`.
  return host.process?.env?.["NODE_ENV"] === "production"
}

function fillSecret(env: Environment, config: AuthConfig): void {
  if (config.secret !== undefined && config.secret.length > 0) return
  const numbered = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1"].map((name) => env[name])
  const secrets = [...numbered, env["AUTH_SECRET"] || env["NEXTAUTH_SECRET"]].filter((secret) => secret !== undefined)
  config.secret = secrets.filter((secret) => secret !== "")
}

function fillBasePath(env: Environment, config: AuthConfig, suppressWarning: boolean): void {
  const path = findPath(env["AUTH_URL"] || env["NEXTAUTH_URL"])
  if (config.basePath === undefined) config.basePath = path ?? "/auth"
  else if (path !== undefined && !suppressWarning) {
    createLog(config.logger).warn("env-url-basepath-redundant")
  }
}

/** The path of a URL, if it has one. A malformed URL has none. */
function findPath(address: string | undefined): string | undefined {
  const pathname = address === undefined ? "/" : (URL.parse(address)?.pathname ?? "/")
  return pathname === "/" ? undefined : pathname
}
