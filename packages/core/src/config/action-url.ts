import type { AuthAction } from "../contract/action.js"
import type { AuthConfig } from "../contract/config.js"
import { UntrustedHost } from "../errors/request.js"
import { createLog } from "../log/log.js"
import { normalizeBasePath } from "../web/auth-path.js"
import type { Environment } from "./environment.js"

/**
 * The address of an action, for integrations that call the service themselves.
 *
 * The origin comes from `AUTH_URL` or `NEXTAUTH_URL`, else from the forwarded or plain host of the request.
 * @throws UntrustedHost when neither says where the service is
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
  const configured = env["AUTH_URL"] || env["NEXTAUTH_URL"] || undefined
  const base = configured === undefined ? new URL(getOrigin(protocol, headers)) : new URL(configured)
  const path = configured === undefined ? config.basePath : choosePath(base, config)
  return new URL(`${base.origin}${normalizeBasePath(path ?? "")}/${action}`)
}

function choosePath(configured: URL, config: Pick<AuthConfig, "basePath" | "logger">): string {
  const own = configured.pathname
  if (config.basePath === undefined) return own
  if (own !== "/" && normalizeBasePath(own) !== normalizeBasePath(config.basePath)) {
    createLog(config.logger).warn("env-url-basepath-mismatch")
  }
  return config.basePath
}

/** Of what several proxies wrote the first counts, which is what the visitor asked for. Junk is passed over. */
function getOrigin(protocol: string, headers: Headers): string {
  const read = (name: string) => headers.get(name)?.split(",", 1)[0]?.trim() ?? ""
  const scheme = [read("x-forwarded-proto"), protocol.replace(/:$/, "")].find((text) => /^https?$/i.test(text))
  const host = [read("x-forwarded-host"), read("host")].find(isHost)
  if (host === undefined) throw new UntrustedHost("The request names no host. Set AUTH_URL to the app's address")
  return `${scheme ?? "https"}://${host}`
}

/** User name, path and query have no place in a host header. */
function isHost(text: string): boolean {
  return text !== "" && !/[/?#@\\\s]/.test(text) && URL.canParse(`https://${text}`)
}
