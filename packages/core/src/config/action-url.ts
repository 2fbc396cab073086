import type { AuthAction } from "../contract/action.js"
import type { AuthConfig } from "../contract/config.js"
import { createLog } from "../log/log.js"
import { normalizeBasePath } from "../web/auth-path.js"
import type { Environment } from "./environment.js"

/**
 * The address of an action, for integrations that call the service themselves.
 *
 * The origin comes from `AUTH_URL` or `NEXTAUTH_URL`, else from the forwarded or plain host of the request.
 * @param protocol With or without its colon; used when the headers do not say.
 */
// biome-ignore lint/complexity/useMaxParams: the signature is the contract's.
export function createActionURL(
  action: AuthAction,
  protocol: string,
  headers: Headers,
  env: Environment,
  config: Pick<AuthConfig, "basePath" | "logger">,
): URL {
  const configured = env["AUTH_URL"] || env["NEXTAUTH_URL"]
  const base = configured === undefined ? new URL(findOrigin(protocol, headers)) : new URL(configured)
  const path = configured === undefined ? config.basePath : choosePath(base, config)
  return new URL(`${base.origin}${normalizeBasePath(path ?? "")}/${action}`)
}

function choosePath(configured: URL, config: Pick<AuthConfig, "basePath" | "logger">): string {
  const own = configured.pathname
  if (config.basePath === undefined) return own
  if (own !== "/" && normalizeBasePath(own) !== normalizeBasePath(config.basePath)) {
    createLog(config.logger, false).warn("env-url-basepath-mismatch")
  }
  return config.basePath
}

function findOrigin(protocol: string, headers: Headers): string {
  const host = headers.get("x-forwarded-host") ?? headers.get("host") ?? ""
  const scheme = headers.get("x-forwarded-proto") ?? (protocol || "https")
  return `${scheme.replace(/:$/, "")}://${host}`
}
