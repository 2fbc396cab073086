import { findWeakness, maxSecrets } from "../crypto/secrets.js"
import { InvalidConfiguration } from "../errors/configuration.js"
import { findCookieMistake } from "../web/set-cookie.js"
import { findAllowedOriginsMistake } from "./allowed-origins-mistake.js"
import { findClientAddressMistake } from "./client-address-mistake.js"
import { resolveCookies } from "./cookies.js"
import { isPageAddress } from "./page-address.js"
import { findRateLimitMistake } from "./rate-limit-mistake.js"
import { findRequestLimitsMistake } from "./request-limits-mistake.js"
import type { ResolvedConfig } from "./resolved-config.js"

/** Seconds in a hundred years: dates further away do not fit what holds them. */
const maxDurationSeconds = 100 * 366 * 24 * 60 * 60

/** The first top-level option whose value cannot work. */
export function findOptionMistake(config: ResolvedConfig): InvalidConfiguration | null {
  const sentence =
    findAllowedOriginsMistake(config.allowedOrigins) ??
    findSecretsMistake(config) ??
    findStrategyMistake(config) ??
    findDurationMistake(config) ??
    findPageMistake(config) ??
    findCookiesMistake(config) ??
    findClientAddressMistake(config) ??
    findRateLimitMistake(config) ??
    findRequestLimitsMistake(config.requestLimits)
  return sentence === null ? null : new InvalidConfiguration(sentence)
}

function findSecretsMistake(config: ResolvedConfig): string | null {
  const { secrets, jwt } = config
  const sentence = findSecretMistake(secrets, config)
  if (sentence !== null) return `secret: ${sentence}`
  const ownSentence = jwt.secrets === secrets ? null : findSecretMistake(jwt.secrets, config)
  return ownSentence === null ? null : `jwt.secret: ${ownSentence}`
}

function findSecretMistake(
  secrets: readonly string[],
  { isProduction }: Pick<ResolvedConfig, "isProduction">,
): string | null {
  if (secrets.length === 0) return "must hold a secret, or be left out"
  if (secrets.length > maxSecrets) return `at most ${maxSecrets} secrets; remove the oldest`
  for (const secret of secrets) {
    if (typeof secret !== "string" || secret === "") return "each secret must be a text that is not empty"
    const weakness = isProduction ? findWeakness(secret) : null
    if (weakness !== null) return `${weakness}; make one with "openssl rand -hex 32"`
  }
  return null
}

function findStrategyMistake({ session }: ResolvedConfig): string | null {
  return ["jwt", "database"].includes(session.strategy) ? null : 'session.strategy: must be "jwt" or "database"'
}

function findDurationMistake({ session, jwt }: ResolvedConfig): string | null {
  const durations = {
    "session.maxAge": session.maxAge,
    ...(session.absoluteMaxAge !== undefined && { "session.absoluteMaxAge": session.absoluteMaxAge }),
    "jwt.maxAge": jwt.maxAge,
  }
  for (const [path, seconds] of Object.entries(durations)) {
    const isDuration = Number.isFinite(seconds) && seconds > 0 && seconds <= maxDurationSeconds
    if (!isDuration) return `${path}: must be a number of seconds above 0, and at most a hundred years`
  }
  const { updateAge } = session
  const isDuration = Number.isFinite(updateAge) && updateAge >= 0
  return isDuration ? null : "session.updateAge: must be a number of seconds, 0 or more"
}

function findPageMistake({ pages }: ResolvedConfig): string | null {
  for (const [page, address] of Object.entries(pages)) {
    if (address === undefined) continue
    if (typeof address !== "string" || !isPageAddress(address)) {
      return `pages.${page}: must be a path that starts with one slash, or an http(s) URL`
    }
  }
  return null
}

/** Looked at as on https, unless the host decided otherwise: the scheme of the first request is not known yet. */
function findCookiesMistake({ cookies: given, useSecureCookies }: ResolvedConfig): string | null {
  const cookies = resolveCookies(given, { isSecure: useSecureCookies ?? true })
  const purposeOf = new Map<string, string>()
  for (const [purpose, { name, options }] of Object.entries(cookies)) {
    const sentence = findCookieMistake(name, options)
    if (sentence !== null) return `cookies.${purpose}: ${sentence}`
    const other = purposeOf.get(name)
    // The name is also the purpose that a value is sealed for: a check cookie would open as a session.
    if (other !== undefined) return `cookies.${purpose}: has the name of cookies.${other}`
    purposeOf.set(name, purpose)
  }
  return null
}
