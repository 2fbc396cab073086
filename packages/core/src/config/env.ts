import { isHttp } from "../http/origin.js"
import { createLog } from "../log/log.js"
import type { Environment } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"
import { fillProvider } from "./providers.js"

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

/**
 * What `AUTH_URL`, else `NEXTAUTH_URL`, says of the app's public address. Null when neither is set, or when it is no
 * http(s) URL: then it says nothing at all.
 */
export function findConfiguredUrl(env: Environment): URL | null {
  const url = URL.parse(configuredText(env))
  return isHttp(url) ? url : null
}

/** Whether an address is configured that says nothing, such as one without its scheme. */
export function isConfiguredUrlBroken(env: Environment): boolean {
  return configuredText(env) !== "" && findConfiguredUrl(env) === null
}

function configuredText(env: Environment): string {
  return env["AUTH_URL"] || env["NEXTAUTH_URL"] || ""
}

/** Each of these says that the host header can be believed. */
const trustVariables = ["AUTH_TRUST_HOST", "VERCEL", "CF_PAGES"] as const

/** Whether the environment says that the request's host is to be believed. Outside production it always is. */
export function trustsHost(env: Environment): boolean {
  return (
    findConfiguredUrl(env) !== null ||
    trustVariables.some((name) => isOn(env[name])) ||
    env["NODE_ENV"] !== "production"
  )
}

/** Set, and not to a word that says no. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value.trim())
}
