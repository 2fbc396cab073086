import { findWeakness, minSecretLength } from "../crypto/keys.js"
import type { Log } from "../log/log.js"
import { findMethod } from "../methods/find-method.js"
import type { SignInMethod } from "../methods/method.js"
import type { Adapter } from "../types/adapter.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { findDefect } from "./providers.js"
import { endsWithBlank } from "./resolve.js"

/** Logs a warning, once, for each option that weakens security or does not work. */
export function warnAbout(config: ResolvedConfig, log: Log): void {
  const { providers, secrets, jwt, isDebug, isCsrfSkipped } = config
  if (isDebug) log.warnOnce("debug-enabled")
  if (isCsrfSkipped) log.warnOnce("csrf-disabled")
  warnAboutSecrets([...secrets, ...jwt.secrets], log)
  const warnings = new Set(providers.flatMap((provider) => findMethod(provider)?.warnings?.(provider) ?? []))
  for (const warning of warnings) log.warnOnce(warning)
  if (config.adapter) warnAboutAdapter(config.adapter, warnings, config, log)
  for (const provider of providers) {
    const defect = findDefect(provider)
    if (defect) log.warnOnce("provider-unusable", defect.message)
    // Only OAuth providers have it. This instance may be the proxy.
    if (Reflect.get(provider, "redirectProxyUrl") && !config.allowedOrigins) log.warnOnce("redirect-proxy-origins")
  }
}

/** Logs a warning, once, for each method whose lack weakens security without a word, as that of published adapters. */
function warnAboutAdapter(
  { isEmailVerified, consumeOnce }: Adapter,
  warnings: ReadonlySet<string>,
  { providers, isProduction }: ResolvedConfig,
  log: Log,
): void {
  const methods = providers.flatMap((provider) => findMethod(provider) ?? [])
  if (!isEmailVerified && warnings.has("email-linking-enabled")) log.warnOnce("email-linking-unproven")
  const isMailing = ({ adapterMethods }: SignInMethod) => adapterMethods.includes("createVerificationToken")
  // Accounts with passkeys are recognized without the method.
  const isForeign = (method: SignInMethod) => !isMailing(method) && method.accountCredential !== "passkey"
  if (!isEmailVerified && methods.some(isMailing) && methods.some(isForeign)) log.warnOnce("email-unproven")
  // A password is no value that works once. One process, as in development, needs no help.
  const isOnce = methods.some(({ accountCredential }) => accountCredential !== "password")
  if (!consumeOnce && isOnce && isProduction) log.warnOnce("once-per-process")
}

/** Logs a warning, once, if some of the secrets can be guessed. */
export function warnAboutSecrets(secrets: readonly string[], log: Log): void {
  const weak = secrets.filter((secret) => findWeakness(secret) !== null)
  if (weak.some((secret) => secret.length < minSecretLength)) log.warnOnce("short-secret")
  if (weak.some((secret) => secret.length >= minSecretLength)) log.warnOnce("weak-secret")
  if (secrets.some(endsWithBlank)) log.warnOnce("secret-blank")
}
