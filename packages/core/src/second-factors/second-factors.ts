import { isObject, type Kinds } from "../config/options.js"
import { validateFactoryOptions } from "../config/validate.js"
import type { AuthError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { findAdapterMistake } from "../host/adapter-mistakes.js"
import type { SecondFactor } from "../types/config.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { accountRoutes } from "./account-routes.js"
import { admit, isSigned, mayAdd } from "./gate.js"
import { secondFactorRoutes } from "./routes.js"
import type { SecondFactorFeature, SecondFactorKind, SecondFactorRequirement, TrustCallback } from "./tools.js"

/** Options of {@link secondFactors}. */
export interface SecondFactorOptions {
  /** The kinds that users can set up, best first: `totp()`, and `recoveryCodes()` for users who lose it. */
  readonly factors: readonly SecondFactorKind[]
  /**
   * Who needs a second factor. `enrolled`: users who have set one up. `always`: all users; those without one set it up
   * before their first session starts. A function returns true for the users who need one. Default: `enrolled`.
   */
  readonly require?: SecondFactorRequirement
  /**
   * Providers whose own second factor counts, by id. Each function gets the claims of the verified ID token, such as `amr`
   * and `acr`, and returns true if they prove one. OpenID Connect only. Default: the second factor of no provider counts.
   */
  readonly trust?: Readonly<Record<string, TrustCallback>>
}

/**
 * Asks for a second factor before a session starts: the value of `secondFactor`. No way to sign in bypasses it; a passkey
 * that verified its owner is two factors already. The adapter needs `listFactors`, `createFactor`, `changeFactor` and
 * `deleteFactor`. A mistake in the options is reported when the service starts.
 * @example
 * secondFactor: secondFactors({ factors: [totp(), recoveryCodes()] })
 */
export function secondFactors(options: SecondFactorOptions): SecondFactor {
  const { factors, require = "enrolled", trust = {} } = options
  const feature: SecondFactorFeature = {
    feature: "secondFactor",
    settings: { factors, require, trust },
    admit,
    mayAdd,
    routes: { ...secondFactorRoutes, ...accountRoutes },
    validate: (config) => findMistake(options, config) ?? findAdapterMistake(needs, config.adapter),
  }
  return Object.freeze(feature)
}

const needs = {
  option: "secondFactor",
  methods: ["listFactors", "createFactor", "changeFactor", "deleteFactor"],
} as const

const kinds: Kinds<SecondFactorOptions> = {
  factors: {
    words: "a list with totp(), such as [totp(), recoveryCodes()]",
    isValid: (value) => listFactorKinds(value).includes("totp"),
    isRequired: true,
  },
  require: {
    words: '"enrolled", "always" or a function',
    isValid: (value) => value === "enrolled" || value === "always" || typeof value === "function",
  },
  trust: { words: "an object of functions by provider id", isValid: isObject },
}

function listFactorKinds(factors: unknown): readonly unknown[] {
  return Array.isArray(factors) ? factors.map((factor) => Object(factor).kind) : []
}

function findMistake(options: SecondFactorOptions, { providers }: ResolvedConfig): AuthError | null {
  const mistake = validateFactoryOptions("secondFactor", options, kinds)
  if (mistake) return mistake
  const wrong = (name: string, sentence: string) => new InvalidConfiguration(`secondFactor.${name}: ${sentence}`)
  const found = listFactorKinds(options.factors)
  const odd = found.findIndex((kind, n) => (kind !== "totp" && kind !== "recovery") || found.indexOf(kind) !== n)
  if (odd !== -1) return wrong(`factors[${odd}]`, "must be totp() or recoveryCodes(), each once")
  for (const [id, value] of Object.entries(options.trust ?? {})) {
    if (typeof value !== "function") return wrong(`trust.${id}`, "must be a function")
    if (!providers.some((provider) => provider.id === id && isSigned(provider))) {
      return wrong(`trust.${id}`, "is not the id of an OpenID Connect provider. Only ID tokens are verified")
    }
  }
  return null
}
