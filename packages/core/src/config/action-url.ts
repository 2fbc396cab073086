import type { AuthAction } from "@latchkey/types"
import { InvalidConfiguration, UntrustedHost } from "../errors/errors.js"
import {
  createAllowedOrigins,
  describeHost,
  findForeignOrigin,
  type HostHeaders,
  resolveOrigin,
} from "../http/origin.js"
import { normalizeBasePath } from "../http/request.js"
import { createLog } from "../log/log.js"
import type { Environment } from "../runtime/environment.js"
import type { AuthConfig } from "../types/config.js"
import { findConfiguredUrl, trustsHost } from "./env.js"
import { validateAllowedOrigins } from "./validate.js"

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
  const base = configured ?? findRequestUrl(headers, protocol, config.trustHost ?? trustsHost(env))
  assertAllowed(base, headers, config)
  const path = configured ? choosePath(configured, config) : config.basePath
  return new URL(`${base.origin}${normalizeBasePath(path ?? "")}/${action}`)
}

function findRequestUrl(headers: HostHeaders, protocol: string, isTrusted: boolean): URL {
  if (isTrusted) return new URL(resolveOrigin(headers, { trustProxy: true, socketProtocol: protocol }))
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
