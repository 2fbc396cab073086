import type { AuthAction } from "@latchkey/types"
import { InvalidConfiguration, UntrustedHost } from "../errors/errors.js"
import type { Feature } from "../features/feature.js"
import { isLocalHost } from "../http/client-address.js"
import {
  createAllowedOrigins,
  describeHost,
  findForeignOrigin,
  type HostHeaders,
  isHttp,
  resolveOrigin,
} from "../http/origin.js"
import { normalizeBasePath, trimPath } from "../http/request.js"
import { createLog } from "../log/log.js"
import { type Environment, isProduction } from "../runtime/environment.js"
import type { AccountArea, AuthConfig } from "../types/config.js"
import type { LocalHosts } from "../types/resolved.js"
import { findMode, isHostOpen, listParts, setMode, shareMode } from "./mode.js"
import { fillProvider } from "./providers.js"
import { validateAllowedOrigins } from "./validate.js"

/**
 * Fills in missing options from environment variables: `secret`, `basePath`, `redirectProxyUrl`, `trustHost`, and each
 * provider's client id, secret, issuer or API key. Options that are set stay as they are. Writes to `config`, but not to
 * its providers or features. `NODE_ENV` decides about the mode. A copy of the configuration has the same one, as long as it has
 * its providers, or one of them that was filled in, or its secrets from the environment.
 * @param suppressBasePathWarning For integrations that set `basePath` themselves. Default: false.
 */
export function setEnvDefaults(env: Environment, config: AuthConfig, suppressBasePathWarning = false): void {
  const before = listParts(config)
  fillSecret(env, config)
  fillBasePath(env, config, suppressBasePathWarning)
  warnAboutUrl(env, config)
  const proxy = config.redirectProxyUrl ?? env["AUTH_REDIRECT_PROXY_URL"]?.trim()
  if (proxy !== undefined) config.redirectProxyUrl = proxy
  fillMode(env, config)
  config.providers = fillProviders(config.providers, env)
  shareMode(config, before)
  // as: the public type hides what a feature is. Its factory sets nothing else.
  const area = config.accountArea as (AccountArea & Pick<Feature, "fillNested">) | undefined
  if (area?.fillNested) config.accountArea = area.fillNested((nested) => fillProvider(nested, env)) as AccountArea
}

/** What cannot be read stays as it is: the service reads it again, and names the mistake. */
function fillProviders(providers: AuthConfig["providers"], env: Environment): AuthConfig["providers"] {
  try {
    return providers.map((provider) => fillProvider(provider, env))
  } catch {
    return providers
  }
}

function fillSecret(env: Environment, config: AuthConfig): void {
  // JavaScript apps may pass null.
  if (config.secret?.length) return
  const numbered = ["AUTH_SECRET_3", "AUTH_SECRET_2", "AUTH_SECRET_1"].map((name) => env[name])
  const secrets = [...numbered, env["AUTH_SECRET"] || env["NEXTAUTH_SECRET"]].filter((secret) => secret !== undefined)
  config.secret = secrets.filter((secret) => secret !== "")
}

function fillBasePath(env: Environment, config: AuthConfig, suppressWarning: boolean): void {
  const pathname = findConfiguredUrl(env)?.pathname.replace(/^\/+$/, "")
  const { basePath } = config
  config.basePath ??= pathname || "/auth"
  if (pathname && config.basePath === basePath && !suppressWarning) {
    createLog(config.logger).warn("env-url-basepath-redundant")
  }
}

function warnAboutUrl(env: Environment, config: AuthConfig): void {
  const url = findConfiguredUrl(env)
  const isInsecure = url?.protocol === "http:" && !isLocalHost(url.hostname, "loopback")
  if (isInsecure && isProduction(env)) createLog(config.logger).warnOnce("insecure-url")
  if (isConfiguredUrlBroken(env)) createLog(config.logger).warnOnce("env-url-invalid")
}

/** The app's public URL from `AUTH_URL`, else `NEXTAUTH_URL`. Null if neither is set to an http(s) URL. */
export function findConfiguredUrl(env: Environment): URL | null {
  const url = URL.parse(configuredText(env))
  return isHttp(url) ? url : null
}

/**
 * Whether `AUTH_URL`, else `NEXTAUTH_URL`, is set to something other than an http(s) URL, such as `app.test`.
 * @internal Exported for its tests.
 */
export function isConfiguredUrlBroken(env: Environment): boolean {
  return configuredText(env) !== "" && findConfiguredUrl(env) === null
}

function configuredText(env: Environment): string {
  return env["AUTH_URL"] || env["NEXTAUTH_URL"] || ""
}

/** Set by hosts, and by platforms that validate the Host header. */
const trustVariables = ["AUTH_TRUST_HOST", "VERCEL", "CF_PAGES"] as const

/** What the environment says about the hosts of requests. */
interface HostTrust {
  readonly trustHost: boolean
  /** Narrows the trust to these hosts, or widens it to them. Null: `trustHost` decides. */
  readonly localHosts: LocalHosts | null
}

/**
 * Whether the environment allows trusting the Host header. Where `NODE_ENV` says so, only those of this machine, and in
 * development those of its network: an app that is served under another host states its URL or `AUTH_TRUST_HOST`.
 * @internal Exported for its tests.
 */
export function findHostTrust(env: Environment): HostTrust {
  const isConfigured = findConfiguredUrl(env) !== null || trustVariables.some((name) => isEnabled(env[name]))
  if (isConfigured) return { trustHost: true, localHosts: null }
  if (!isProduction(env)) return { trustHost: true, localHosts: "network" }
  const { NODE_ENV = "" } = env
  // `NODE_ENV=staging` keeps the value that Auth.js gives it.
  const trustHost = NODE_ENV !== "" && NODE_ENV !== "production"
  // A variable that is set but trusts nothing is a statement, or a mistake.
  const isOpen = configuredText(env) === "" && !env["AUTH_TRUST_HOST"]
  return { trustHost, localHosts: isOpen || trustHost ? "loopback" : null }
}

function fillMode(env: Environment, config: AuthConfig): void {
  const isOpen = isHostOpen(config)
  const { trustHost, localHosts } = findHostTrust(env)
  if (isOpen) config.trustHost = trustHost
  const authUrl = findConfiguredUrl(env)
  setMode(config, {
    isProduction: isProduction(env),
    localHosts,
    trustHost: isOpen ? trustHost : undefined,
    ...(authUrl && { authUrl: `${authUrl.origin}${trimPath(authUrl.pathname)}` }),
  })
}

function isEnabled(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false|no|off)$/i.test(value.trim())
}

type ActionUrlConfig = Pick<AuthConfig, "basePath" | "logger" | "trustHost" | "allowedOrigins">

/**
 * Returns the URL of an action, for integrations that call the service themselves.
 *
 * The origin is that of `AUTH_URL` or `NEXTAUTH_URL`. If neither is set, it comes from the headers `X-Forwarded-Host` or
 * `Host`, provided that `trustHost` (in the configuration, else by the environment) allows it.
 * @param protocol With or without its colon. Used if there is no `X-Forwarded-Proto`.
 * @throws UntrustedHost if the origin is unknown, not trusted, or missing in `allowedOrigins`
 * @throws InvalidConfiguration if `allowedOrigins` is invalid
 */
// biome-ignore lint/complexity/useMaxParams: the signature is the contract's.
export function createActionURL(
  action: AuthAction,
  protocol: string,
  headers: Headers,
  env: Environment,
  config: ActionUrlConfig,
): URL {
  const configured = findConfiguredUrl(env)
  const base = configured ?? findRequestUrl(headers, protocol, readTrust(config, env))
  assertAllowed(base, headers, config)
  const path = configured ? choosePath(configured, config) : config.basePath
  return new URL(`${base.origin}${normalizeBasePath(path ?? "")}/${action}`)
}

/** What the configuration says about the hosts of requests, else the environment. */
function readTrust(config: ActionUrlConfig, env: Environment): HostTrust {
  const { trustHost, allowedOrigins } = config
  if (trustHost !== undefined) return { trustHost, localHosts: findMode(config).localHosts }
  // The contract asks for no trust here, and `Auth` checks the host of the request that the URL is for.
  if (env["NODE_ENV"] !== "production") return { trustHost: true, localHosts: null }
  const found = findHostTrust(env)
  return allowedOrigins === undefined ? found : { ...found, localHosts: null }
}

function findRequestUrl(headers: HostHeaders, protocol: string, { trustHost, localHosts }: HostTrust): URL {
  // A host in JavaScript may pass the text "false".
  if (trustHost === true || localHosts !== null) {
    const url = new URL(resolveOrigin(headers, { trustProxy: true, socketProtocol: protocol }))
    if (localHosts === null || isLocalHost(url.hostname, localHosts)) return url
  }
  throw new UntrustedHost(
    `The request's host, ${describeHost(headers)}, is not trusted. Set AUTH_URL to the app's address, including https://. If a proxy in front validates the Host header, set trustHost: true instead`,
  )
}

function assertAllowed(base: URL, headers: HostHeaders, { allowedOrigins }: ActionUrlConfig): void {
  const mistake = validateAllowedOrigins(allowedOrigins)
  if (mistake !== null) throw new InvalidConfiguration(mistake)
  const foreign = findForeignOrigin(base, allowedOrigins ? createAllowedOrigins(allowedOrigins) : null, headers)
  if (foreign) throw foreign
}

function choosePath(configured: URL, config: ActionUrlConfig): string {
  const own = configured.pathname
  if (config.basePath === undefined) return own
  if (own !== "/" && normalizeBasePath(own) !== normalizeBasePath(config.basePath)) {
    createLog(config.logger).warn("env-url-basepath-mismatch")
  }
  return config.basePath
}
