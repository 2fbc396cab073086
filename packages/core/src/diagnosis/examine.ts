import { findConfiguredUrl, setEnvDefaults } from "../config/env.js"
import { findMode } from "../config/mode.js"
import { resolveProvider } from "../config/providers.js"
import { resolveConfig } from "../config/resolve.js"
import { listIneffectiveValues, listUnknownOptions } from "../config/unknown-options.js"
import { warnAbout } from "../config/validate.js"
import { type AuthError, type AuthErrorType, toError } from "../errors/auth-error.js"
import type { ServiceConfig } from "../features/feature.js"
import { normalizeBasePath } from "../http/request.js"
import { createLog } from "../log/log.js"
import { explainWarning, type Guide } from "../log/warnings.js"
import { findMethod } from "../methods/find-method.js"
import type { PasswordSettings } from "../methods/password/options.js"
import type { Environment } from "../runtime/environment.js"
import { findMistake } from "../service.js"
import type { AuthConfig } from "../types/config.js"
import type { WarningCode } from "../types/logger.js"
import type { Provider, ProviderConfig } from "../types/providers.js"
import type { ResolvedConfig, ResolvedProvider } from "../types/resolved.js"

/** Something about a configuration that its author should know. */
export interface Examined {
  /** The code of the warning in the log, or the type of the error that every request ends with. */
  readonly code: WarningCode | AuthErrorType
  /** Whether requests or sign-ins fail because of it. */
  readonly isError: boolean
  /** The sentence of the log. */
  readonly sentence: string
  /** What the sentence is about, such as `providers.github.clientId`. Undefined if it names no option. */
  readonly option?: string
  /** Undefined for a mistake, whose sentence says what to write. */
  readonly guide?: Guide
}

/** What checks of the world outside have to know about a configuration. Holds secrets. */
export interface ExaminedConfig
  extends Pick<ResolvedConfig, "providers" | "adapter" | "secrets" | "basePath" | "rateLimit" | "trustHost"> {
  /** The email providers in options of others, such as `Passwords({ mail })` and `accountArea({ mail })`. */
  readonly mailers: readonly ResolvedProvider[]
  /** Whether any host is answered, or only this machine. */
  readonly hasAddress: boolean
  /** The least length of passwords that the options allow. Undefined without passwords, or where the default holds. */
  readonly passwordLength?: number
  /** Whether every user needs a second factor. */
  readonly needsFactor: boolean
}

/** What is to be said about a configuration. */
export interface Examination {
  readonly examined: readonly Examined[]
  /** Null if the configuration cannot be read. */
  readonly config: ExaminedConfig | null
}

/** Warnings whose cause makes requests or sign-ins fail. */
const failing: ReadonlySet<WarningCode> = new Set([
  "env-url-invalid",
  "env-url-basepath-mismatch",
  "insecure-url",
  "short-secret",
  "weak-secret",
  "secret-missing",
  "provider-unusable",
  "redirect-proxy-origins",
])

/**
 * Everything that the service would log about a configuration at its start, in production and out of it, without a request.
 * Logs nothing, and writes to nothing.
 * @param given As the app passes it.
 * @param env The variables of the app. Its `NODE_ENV` decides about the mode.
 */
export async function examine(given: AuthConfig, env: Environment): Promise<Examination> {
  const warned: Examined[] = []
  const add = (code: WarningCode, detail?: string) => void warned.push(toExamined(code, detail))
  const logger = { warn: add, error() {}, debug() {} }
  let mistake: AuthError | null = null
  try {
    const config: AuthConfig = { ...given, logger }
    setEnvDefaults(env, config, true)
    if (hasOtherPath(given, env)) add("env-url-basepath-mismatch")
    mistake = findMistake(config)
    const resolved = resolveConfig(config, findMode(config))
    if (!mistake) await addWarnings({ given, resolved }, add)
    const mistakes = mistake ? [toMistake(mistake)] : []
    return {
      examined: [...mistakes, ...warned],
      config: toExaminedConfig(resolved, listMailers(config.providers, resolved)),
    }
  } catch (thrown) {
    // What cannot be resolved has a mistake that says more.
    return { examined: [toMistake(mistake ?? toError(thrown)), ...warned], config: null }
  }
}

/** Whether `AUTH_URL` has another path than the option `basePath`, which wins. */
function hasOtherPath({ basePath }: AuthConfig, env: Environment): boolean {
  const path = findConfiguredUrl(env)?.pathname ?? "/"
  return basePath !== undefined && path !== "/" && normalizeBasePath(path) !== normalizeBasePath(basePath)
}

type Add = (code: WarningCode, detail?: string) => void

async function addWarnings(
  { given, resolved }: { readonly given: AuthConfig; readonly resolved: ServiceConfig },
  add: Add,
): Promise<void> {
  warnAbout(resolved, createLog({ warn: add }))
  for (const sentence of listUnknownOptions(given)) add("option-unknown", sentence)
  for (const sentence of listIneffectiveValues(given)) add("option-ineffective", sentence)
  for (const feature of resolved.features)
    for (const sentence of (await feature.listIneffective?.()) ?? []) add("option-ineffective", sentence)
}

function toExamined(code: WarningCode, detail?: string): Examined {
  const { sentence, guide } = explainWarning(code)
  const option = detail === undefined ? undefined : findOption(detail)
  return {
    code,
    isError: failing.has(code),
    sentence: detail === undefined ? sentence : `${detail.replace(/\.$/, "")}. ${sentence}`,
    guide,
    ...(option !== undefined && { option }),
  }
}

function toMistake(error: Error & Partial<Pick<AuthError, "type">>): Examined {
  const option = findOption(error.message)
  const { message: sentence, type: code = "InvalidConfiguration" } = error
  return { code, isError: true, sentence, ...(option !== undefined && { option }) }
}

/** The path of an option at the beginning of a sentence, such as `providers.github.clientId`. */
function findOption(sentence: string): string | undefined {
  return /^([a-z]\w*(?:[.[][^\s:,.[]+)*)[:,]/i.exec(sentence)?.[1]
}

/** Each once, although several options may have it. */
function listMailers(providers: AuthConfig["providers"], { features }: ServiceConfig): readonly ResolvedProvider[] {
  const found = new Set<ProviderConfig>()
  const take = (nested: Provider): ProviderConfig => {
    const made = typeof nested === "function" ? nested({}) : nested
    found.add(made)
    return made
  }
  for (const provider of providers)
    if (typeof provider !== "function") findMethod(provider)?.fillNested?.(provider, take)
  for (const feature of features) feature.fillNested?.(take)
  return [...found].map((provider) => resolveProvider(provider, undefined))
}

function toExaminedConfig(resolved: ServiceConfig, mailers: ExaminedConfig["mailers"]): ExaminedConfig {
  const { providers, adapter, secrets, basePath, rateLimit, trustHost, localHosts, allowedOrigins, features } = resolved
  const passwordLength = findPasswordLength(resolved)
  return {
    ...{ providers, mailers, adapter, secrets, basePath, rateLimit, trustHost },
    hasAddress: localHosts === null || allowedOrigins !== undefined,
    needsFactor: features[0]?.frame.fillSlots(features).gate?.isForAll === true,
    ...(passwordLength !== undefined && { passwordLength }),
  }
}

/** Another copy of this package may have made the feature. */
function findPasswordLength({ features }: ServiceConfig): number | undefined {
  const own: unknown = features.find(({ feature }) => feature === "passwords")?.own
  const read: unknown = Reflect.get(Object(own), "getSettings")
  if (typeof read !== "function") return undefined
  try {
    const settings: Partial<PasswordSettings> = Object(read())
    return settings.minLength
  } catch {
    return undefined // Options that cannot be resolved are a mistake of their own.
  }
}
