import type { AuthConfig } from "../contract/config.js"
import { createLog } from "../log/log.js"
import { fillProvider } from "./env-provider.js"
import { findConfiguredUrl, isConfiguredUrlBroken, trustsHost } from "./env-url.js"
import type { Environment } from "./environment.js"

/**
 * Fills in what a configuration leaves out from the environment, in place: `secret`, `basePath`, `redirectProxyUrl`,
 * `trustHost`, and each provider's client id, secret, issuer or API key. What the host wrote wins.
 * @param suppressBasePathWarning For integrations that set `basePath` themselves.
 */
export function setEnvDefaults(env: Environment, config: AuthConfig, suppressBasePathWarning = false): void {
  fillSecret(env, config)
  fillBasePath(env, config, suppressBasePathWarning)
  warnAboutUrl(env, config)
  const proxy = config.redirectProxyUrl ?? env["AUTH_REDIRECT_PROXY_URL"]
  if (proxy !== undefined) config.redirectProxyUrl = proxy
  config.trustHost ??= trustsHost(env)
  config.providers = config.providers.map((provider) => fillProvider(provider, env))
}

function fillSecret(env: Environment, config: AuthConfig): void {
  if (config.secret !== undefined && config.secret.length > 0) return
  const numbered = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1"].map((name) => env[name])
  const secrets = [...numbered, env["AUTH_SECRET"] || env["NEXTAUTH_SECRET"]].filter((secret) => secret !== undefined)
  config.secret = secrets.filter((secret) => secret !== "")
}

function fillBasePath(env: Environment, config: AuthConfig, suppressWarning: boolean): void {
  const pathname = findConfiguredUrl(env)?.pathname ?? "/"
  if (config.basePath === undefined) config.basePath = pathname === "/" ? "/auth" : pathname
  else if (pathname !== "/" && !suppressWarning) {
    createLog(config.logger).warn("env-url-basepath-redundant")
  }
}

function warnAboutUrl(env: Environment, config: AuthConfig): void {
  const isInsecure = env["NODE_ENV"] === "production" && findConfiguredUrl(env)?.protocol === "http:"
  if (isInsecure) createLog(config.logger).warnOnce("insecure-url")
  if (isConfiguredUrlBroken(env)) createLog(config.logger).warnOnce("env-url-invalid")
}
