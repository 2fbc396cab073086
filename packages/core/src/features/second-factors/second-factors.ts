import { isObject, type Kinds } from "../../config/options.js"
import { validateFactoryOptions } from "../../config/validate.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration, SecondFactorWrong } from "../../errors/errors.js"
import type { AdapterNeeds } from "../../host/adapter-mistakes.js"
import type { Store } from "../../host/store.js"
import type { AuthRequest } from "../../http/request.js"
import { createTranslator, type PageFrame } from "../../pages/document.js"
import { requireFresh } from "../../require-fresh.js"
import type { SecondFactor } from "../../types/config.js"
import type { ResolvedConfig } from "../../types/resolved.js"
import type { Feature, FeatureRoutes } from "../feature.js"
import { featureFrame } from "../slots.js"
import { createTracking, findTrackingMistake } from "../tracked-sessions/track-sessions.js"
import { answerFactorForm, showFactorSetup } from "./account-pages.js"
import { accountRoutes } from "./account-routes.js"
import { confirmRoutes } from "./confirm.js"
import { forgetDevices, type RememberOptions } from "./devices.js"
import { StaleSetup } from "./enrollment.js"
import { admit, admitsAdopted, forgetProofs, isSigned, readProofs, vetAccount } from "./gate.js"
import { endWaiting } from "./hold.js"
import { guardPasskey, isSessionFresh, ownFactors } from "./own-factors.js"
import { translateFactors } from "./page.js"
import { secondFactorRoutes } from "./routes.js"
import { addSessionAuth } from "./session-auth.js"
import { scriptPath, showFactorScript, showFactorStylesheet, stylesheetPath } from "./stylesheet.js"
import type { SecondFactorKind, SecondFactorRequirement, SecondFactorSettings, TrustCallback } from "./tools.js"

/** Options of {@link secondFactors}. */
export interface SecondFactorOptions {
  /**
   * The kinds that users can set up, best first: `totp()`, `recoveryCodes()` for users who lose theirs, and `passkeyFactor()`
   * to ask for the passkey of users who sign in another way.
   */
  readonly factors: readonly SecondFactorKind[]
  /**
   * Who needs a second factor. `enrolled`: users who have set one up. `always`: all users; those without one set it up
   * before their first session starts. A function returns true for the users who need one. Default: `enrolled`.
   */
  readonly require?: SecondFactorRequirement | undefined
  /**
   * Providers whose own second factor counts, by id. Each function gets the claims of the verified ID token, such as `amr`
   * and `acr`, and returns true if they prove one. OpenID Connect only. Default: the second factor of no provider counts.
   */
  readonly trust?: Readonly<Record<string, TrustCallback>> | undefined
  /**
   * Lets users have a device remembered after they have given a second factor there, so that it does not ask again for
   * that many days. Ends when a factor, a passkey or the password changes, and with `signOutEverywhere`. Default: `false`.
   */
  readonly remember?: false | RememberOptions | undefined
}

/**
 * Asks for a second factor before a session starts: the value of `secondFactors`. No way to sign in bypasses it; a passkey
 * that verified its owner is two factors already. Brings `trackSessions()` unless `session.track` is set. The adapter needs
 * its methods, and `listFactors`, `createFactor`, `changeFactor` and `deleteFactor`. A mistake in the options is reported
 * when the service starts.
 * @example
 * secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] })
 */
export function secondFactors(given: SecondFactorOptions): SecondFactor {
  // Apps in JavaScript may leave them out, which `validate` reports.
  const options: SecondFactorOptions = { ...given }
  const { factors, require = "enrolled", trust = {}, remember = false } = options
  const settings: SecondFactorSettings = { factors, require, trust, remember }
  const feature: SecondFactor & Feature = {
    feature: "secondFactors",
    frame: featureFrame,
    own: settings,
    siteName: findIssuer(factors),
    brings: [createTracking()],
    gate: { isForAll: require === "always", admit, admitsAdopted, vetAccount, isFresh: isSessionFresh, readProofs },
    functions: { requireFresh },
    wrapCallbacks: addSessionAuth,
    sentenceOf,
    onEndAll: endSignInsAndDevices,
    onProviderLogout: endWaiting,
    onSignOut: forgetProofs,
    factors: {
      offersRecovery: listFactorKinds(factors).includes("recovery"),
      listFactors: (request, context) => ownFactors(context).list(request),
      removeFactor: (request, context, id) => ownFactors(context).remove(request, id),
      answerFactorForm,
      showFactorSetup,
      guardPasskey,
    },
    routes: { ...secondFactorRoutes, ...confirmRoutes, ...accountRoutes, ...assets },
    validate: (config) => findMistake(options, config) ?? findTrackingMistake(needs, config),
  }
  return Object.freeze(feature)
}

const assets: FeatureRoutes = {
  [stylesheetPath]: { GET: showFactorStylesheet, format: "own" },
  [scriptPath]: { GET: showFactorScript, format: "own" },
}

async function sentenceOf(error: AuthError, _: AuthRequest, frame: PageFrame): Promise<string | undefined> {
  if (error instanceof StaleSetup) return createTranslator(frame).translate("staleForm.heading")
  return error instanceof SecondFactorWrong ? translateFactors(frame)("wrong.heading") : undefined
}

async function endSignInsAndDevices(userId: string, store: Store): Promise<void> {
  // First, so that a sign-in which is completed in between leaves no device.
  await endWaiting(userId, store)
  await forgetDevices(userId, store)
}

const needs: AdapterNeeds = {
  option: "secondFactors",
  methods: ["listFactors", "createFactor", "changeFactor", "deleteFactor"],
}

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
  remember: {
    words: "false or { days }, at most 365 whole days",
    isValid: (value) => value === false || isDays(Object(value).days),
  },
}

const isDays = (days: unknown): boolean => Number.isInteger(days) && Number(days) >= 1 && Number(days) <= 365

const factorKinds: readonly unknown[] = ["totp", "passkey", "recovery"]

/** The name of the app in authenticator apps. */
function findIssuer(factors: unknown): string | undefined {
  const [issuer] = Array.isArray(factors) ? factors.flatMap((factor) => Object(factor).issuer ?? []) : []
  return typeof issuer === "string" && issuer.trim() !== "" ? issuer : undefined
}

function listFactorKinds(factors: unknown): readonly unknown[] {
  return Array.isArray(factors) ? factors.map((factor) => Object(factor).kind) : []
}

function findMistake(options: SecondFactorOptions, { providers }: ResolvedConfig): AuthError | null {
  const mistake = validateFactoryOptions("secondFactors", options, kinds)
  if (mistake) return mistake
  const wrong = (name: string, sentence: string) => new InvalidConfiguration(`secondFactors.${name}: ${sentence}`)
  const found = listFactorKinds(options.factors)
  const odd = found.findIndex((kind, n) => !factorKinds.includes(kind) || found.indexOf(kind) !== n)
  if (odd !== -1) return wrong(`factors[${odd}]`, "must be totp(), passkeyFactor() or recoveryCodes(), each once")
  if (found.includes("passkey") && !providers.some(({ type }) => type === "webauthn")) {
    return wrong("factors", "passkeyFactor() needs a WebAuthn provider. Add Passkey() to the providers")
  }
  for (const [id, value] of Object.entries(options.trust ?? {})) {
    if (typeof value !== "function") return wrong(`trust.${id}`, "must be a function")
    if (!providers.some((provider) => provider.id === id && isSigned(provider))) {
      return wrong(`trust.${id}`, "is not the id of an OpenID Connect provider. Only ID tokens are verified")
    }
  }
  return null
}
