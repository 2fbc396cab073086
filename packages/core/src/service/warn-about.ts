import type { ResolvedConfig } from "../config/resolved-config.js"
import { isOAuth } from "../config/resolved-provider.js"
import { findWeakness, minSecretLength } from "../crypto/secrets.js"
import type { Log } from "../log/log.js"

/** Switches that weaken the service are said once in the log, so that nobody finds them out from an incident. */
export function warnAbout(config: ResolvedConfig, log: Log): void {
  const { providers, secrets, jwt, isDebug, isWebAuthnEnabled, isCsrfSkipped } = config
  const oauth = providers.filter(isOAuth)
  if (isDebug) log.warnOnce("debug-enabled")
  if (isWebAuthnEnabled) log.warnOnce("experimental-webauthn")
  if (isCsrfSkipped) log.warnOnce("csrf-disabled")
  const weak = [...secrets, ...jwt.secrets].filter((secret) => findWeakness(secret) !== null)
  if (weak.some((secret) => secret.length < minSecretLength)) log.warnOnce("short-secret")
  if (weak.some((secret) => secret.length >= minSecretLength)) log.warnOnce("weak-secret")
  if (oauth.some(({ checks }) => checks.includes("none"))) log.warnOnce("checks-none")
  if (oauth.some(({ allowDangerousEmailAccountLinking }) => allowDangerousEmailAccountLinking)) {
    log.warnOnce("email-linking-enabled")
    if (config.adapter && !config.adapter.isEmailVerified) log.warnOnce("email-linking-unproven")
  }
}
