import { type AuthConfig, type AuthContext, logRejectedRequest } from "@latchkey/core"
import type { AuthError } from "@latchkey/core/errors"
import type { Caller } from "@latchkey/core/integration"

/**
 * A visitor by the headers of their request. Next names every host in `X-Forwarded-Host` (`request.url` says
 * `localhost`); whether it is believed is what `trustHost` says, as for the header `Host`.
 */
export function toCaller(headers: Headers, config: Pick<AuthConfig, "trustedProxies">): Caller {
  return { headers, trustProxy: true, context: toContext(config) }
}

/**
 * Next tells nobody the address of the socket, and a visitor may have written `X-Forwarded-For`. Who names the proxies
 * in front says that every request comes from them: then the header is read as if the first had sent it.
 */
export function toContext({ trustedProxies }: Pick<AuthConfig, "trustedProxies">): AuthContext {
  const first: unknown = trustedProxies?.[0] // An option of another type is the core's to refuse.
  return typeof first === "string" ? { clientAddress: first.split("/", 1)[0] } : {}
}

/** Logs what is refused before the service sees it, as the service does with its own refusals. */
export function report(error: AuthError, headers: Headers, config: AuthConfig): void {
  const { logger } = config
  logRejectedRequest(error, { headers, context: toContext(config), ...(logger && { logger }) })
}
