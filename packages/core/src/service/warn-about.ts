import type { ResolvedConfig } from "../config/resolved-config.js"
import { isOAuth } from "../config/resolved-provider.js"
import { minSecretLength } from "../crypto/secrets.js"
import type { Log } from "../log/log.js"

/** Switches that weaken the service are said once in the log, so that nobody finds them out from an incident. */
export function warnAbout(config: ResolvedConfig, log: Log): void {
  const { providers, secrets, jwt, isDebug, isWebAuthnEnabled } = config
  const oauth = providers.filter(isOAuth)
  if (isDebug) log.warnOnce("debug-enabled")
  if (isWebAuthnEnabled) log.warnOnce("experimental-webauthn")
  if ([...secrets, ...jwt.secrets].some((secret) => secret.length < minSecretLength)) log.warnOnce("short-secret")
  if (oauth.some(({ checks }) => checks.includes("none"))) log.warnOnce("checks-none")
  if (oauth.some(({ allowDangerousEmailAccountLinking }) => allowDangerousEmailAccountLinking)) {
    log.warnOnce("email-linking-enabled")
  }
}
