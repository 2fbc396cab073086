import { findWeakness, maxSecrets, minSecretLength } from "../crypto/keys.js"
import { type AuthError, toError } from "../errors/auth-error.js"
import {
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  MissingSecret,
  UntrustedHost,
} from "../errors/errors.js"
import type { ServiceConfig } from "../features/feature.js"
import { validateCookie } from "../http/cookies.js"
import { leastHeaderBytes } from "../http/limits.js"
import { validateOrigin } from "../http/origin.js"
import { resolveCookies } from "../http/own-cookies.js"
import type { Log } from "../log/log.js"
import { findMethod, getMethod } from "../methods/find-method.js"
import type { SignInMethod } from "../methods/method.js"
import type { Adapter } from "../types/adapter.js"
import type { AuthConfig } from "../types/config.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { isObject, type OptionKind, options } from "./options.js"
import { findDefect, type ValidateProvider, validateProviders } from "./providers.js"
import { endsWithBlank } from "./resolve.js"

/** An option with a value of the wrong type, as in JavaScript or from a settings file. */
interface MistypedOption {
  readonly option: keyof AuthConfig
  /** What is wrong, beginning with the option's path. */
  readonly sentence: string
}

/** The options that cannot be resolved, each with its first mistake. Null counts as left out. */
export function findMistypedOptions(config: AuthConfig): readonly MistypedOption[] {
  const mistyped: MistypedOption[] = []
  for (const name in options) {
    const option = name as keyof AuthConfig // The table has the options as keys.
    if (!isRead(options[option], "hasType")) continue
    const sentence = validateType(config, option)
    if (sentence !== null) mistyped.push({ option, sentence: `${option}${sentence}` })
  }
  return mistyped
}

/** Describes the first entry of `providers` that cannot be a provider. Null if there is none. */
function validateEntries(providers: readonly unknown[]): string | null {
  // Not with `entries()`, which creates two objects for each: some hosts pass a new configuration with each request.
  for (let index = 0; index < providers.length; index++) {
    const entry = providers[index]
    const shape = typeof entry === "function" ? null : describeShape(entry, "type")
    if (shape !== null) return `[${index}]: ${shape}`
  }
  return null
}

/**
 * What was written or imported instead of an object, as the rest of a message that begins with the option's path. Null for
 * an object that may be the right one.
 * @param member The name of a member that the right object has.
 */
function describeShape(value: unknown, member: string): string | null {
  if (value === undefined || value === null)
    return `is ${value}. If it is imported, correct the name, or the modules that import each other`
  if (value === false) return "is false. Leave it out then, for example by .filter(Boolean) after the list"
  if (Array.isArray(value)) return "is a list. Spread it: ...list"
  if (!isObject(value)) return typeof value === "function" ? "is a function. Call it" : `is a ${typeof value}`
  if (member in value) return null
  if ("then" in value) return "is a promise. Await it"
  const isModule = "default" in value || Object.prototype.toString.call(value) === "[object Module]"
  return isModule ? "is a whole module. Import what you need by its name: import { Name } from ..." : null
}

/**
 * For apps in plain JavaScript, and for circular imports, which leave a value undefined.
 * @throws InvalidConfiguration for what is not an object of options
 */
export function assertConfig(config: unknown): void {
  if (isObject(config) && "providers" in config) return
  const shape = Array.isArray(config) ? "is a list" : describeShape(config, "providers")
  if (shape === null) return
  throw new InvalidConfiguration(`The configuration ${shape}. Pass an object, such as { providers: [GitHub] }`)
}

/** A getter of the host's may throw while its value is read. That is a mistake like any other. */
function validateType(config: AuthConfig, option: keyof AuthConfig): string | null {
  try {
    const value: unknown = config[option] ?? undefined
    const sentence = validateKind(value, options[option], "hasType")
    return sentence ?? (option === "providers" && Array.isArray(value) ? validateEntries(value) : null)
  } catch (error) {
    return `: cannot be read: ${toError(error).message}`
  }
}

/** The first mistake in a configuration: host, secret, options, providers, adapter, features. Null if there is none. */
export function validateConfig(config: ServiceConfig, validateMore?: ValidateProvider): AuthError | null {
  return (
    validateTrust(config) ??
    validateOptions(config) ??
    validateProviders(config, validateMore) ??
    validateAdapter(config) ??
    config.features[0]?.frame.validate(config) ??
    null
  )
}

/** The mistake of an app that configures neither its URL nor its host. */
export function createUntrusted(): UntrustedHost {
  return new UntrustedHost(
    "trustHost: the Host header is not trusted. Set AUTH_URL to the app's address, including https://. If a proxy in front validates the Host header, set trustHost: true (or AUTH_TRUST_HOST=true) instead",
  )
}

function validateTrust({ trustHost, localHosts, secrets }: ResolvedConfig): AuthError | null {
  if (!trustHost && localHosts === null) return createUntrusted()
  if (secrets.length === 0) {
    return new MissingSecret("secret: missing. Set AUTH_SECRET to at least 32 random characters")
  }
  return null
}

function validateOptions(config: ResolvedConfig): InvalidConfiguration | null {
  const sentence =
    validateAllowedOrigins(config.allowedOrigins) ??
    validateSecrets(config) ??
    validateValues(config) ??
    validateCookies(config) ??
    validateTrustedProxies(config.trustedProxies) ??
    validateHeaderBytes(config)
  return sentence === null ? null : new InvalidConfiguration(sentence)
}

function validateValues(config: ResolvedConfig): string | null {
  return validateKind(config, { words: "an object", fields: options }, "isValid")?.slice(1) ?? null
}

/**
 * The first mistake in the options that the factory of a feature was called with. Null if there is none.
 * @param path The option that the factory's result is for, such as `session.track`.
 */
export function validateFactoryOptions(
  path: string,
  given: object,
  fields: Readonly<Record<string, OptionKind>>,
): InvalidConfiguration | null {
  const sentence = validateKind(given, { words: "an object", fields, isClosed: true }, "isValid")
  return sentence === null ? null : new InvalidConfiguration(`${path}${sentence}`)
}

type Test = "hasType" | "isValid"

/**
 * Tests a value and its fields. Returns null, or the rest of a message that begins with the option's path. Allocates
 * nothing for a valid value: some hosts pass a new configuration with each request.
 */
function validateKind(value: unknown, kind: OptionKind, test: Test): string | null {
  if (value === undefined && !kind.isRequired) return null
  if (kind[test]?.(value) === false) return `: must be ${kind.words}`
  const { fields } = kind
  if (fields === undefined || !isObject(value)) return null
  const unknown = kind.isClosed && test === "isValid" ? findUnknown(value, fields) : undefined
  if (unknown !== undefined) return `.${unknown}: unknown option. Use ${Object.keys(fields).join(", ")}`
  for (const name in fields) {
    const field = fields[name]
    if (field === undefined || !isRead(field, test)) continue
    const sentence = validateKind((value as Readonly<Record<string, unknown>>)[name], field, test) // Its own fields.
    if (sentence !== null) return `.${name}${sentence}`
  }
  return null
}

function findUnknown(value: object, fields: object): string | undefined {
  return Object.keys(value).find((name) => !Object.hasOwn(fields, name))
}

/** Whether a test reads the value. Others stay unread: a getter may throw. */
function isRead(kind: OptionKind, test: Test): boolean {
  return kind[test] !== undefined || (test === "isValid" && kind.fields !== undefined)
}

/** The first mistake in the option `allowedOrigins`. Null if there is none. */
export function validateAllowedOrigins(entries: unknown): string | null {
  if (entries === undefined) return null
  if (!Array.isArray(entries)) return "allowedOrigins: must be a list of origins"
  if (entries.length === 0)
    return "allowedOrigins: must list at least one origin. Leave it out to allow all trusted hosts"
  for (const [index, entry] of entries.entries()) {
    const sentence = validateOrigin(entry)
    if (sentence !== null) return `allowedOrigins[${index}]: ${sentence}`
  }
  return null
}

function validateSecrets(config: ResolvedConfig): string | null {
  const { secrets, jwt } = config
  const sentence = validateSecretList(secrets, config)
  if (sentence !== null) return `secret: ${sentence}`
  const ownSentence = jwt.secrets === secrets ? null : validateSecretList(jwt.secrets, config)
  return ownSentence === null ? null : `jwt.secret: ${ownSentence}`
}

function validateSecretList(secrets: readonly unknown[], { isProduction }: ResolvedConfig): string | null {
  if (secrets.length === 0) return "must not be empty. Leave it out to use the service's secret"
  if (secrets.length > maxSecrets) return `must list at most ${maxSecrets} secrets. Remove the oldest`
  for (const secret of secrets) {
    if (typeof secret !== "string" || secret === "") return "each secret must be a string that is not empty"
    const weakness = isProduction ? findWeakness(secret) : null
    if (weakness !== null) return `${weakness}. Create one with "openssl rand -hex 32"`
  }
  return null
}

/** Assumes https unless `useSecureCookies` is false: the scheme of the first request is not known yet. */
function validateCookies({ cookies: given, useSecureCookies }: ResolvedConfig): string | null {
  if (given === undefined) return null
  const cookies = resolveCookies(given, { isSecure: useSecureCookies ?? true })
  const purposeOf = new Map<string, string>()
  for (const [purpose, { name, options }] of Object.entries(cookies)) {
    const sentence = validateCookie(name, options)
    if (sentence !== null) return `cookies.${purpose}: ${sentence}`
    const other = purposeOf.get(name)
    // A value is encrypted for its cookie's name: with a shared name, a check cookie would open as a session.
    if (other !== undefined) return `cookies.${purpose}: has the same name as cookies.${other}. Rename one of them`
    purposeOf.set(name, purpose)
  }
  return null
}

function validateTrustedProxies(proxies: unknown): string | null {
  // A string would be iterated letter by letter.
  if (!Array.isArray(proxies)) return 'trustedProxies: must be a list, such as ["10.0.0.0/8"]'
  for (const [index, text] of proxies.entries()) {
    const path = `trustedProxies[${index}]`
    const range = typeof text === "string" ? readIpRange(text) : null
    if (!range) return `${path}: must be an address or a range, such as "10.0.0.0/8"`
    if (range.isEveryAddress) {
      return `${path}: covers every address, so any client could forge its own. List your proxies instead`
    }
  }
  return null
}

/**
 * Null if the text is neither an address nor a range. `http/ip-address.ts` parses it again: that code is not needed
 * before the first request that needs an address.
 * @internal Exported for its tests.
 */
export function readIpRange(text: string): { readonly isEveryAddress: boolean } | null {
  const [address = "", length, ...rest] = text.split("/")
  const isV6 = address.includes(":")
  const host = URL.parse(`http://${isV6 ? `[${address.replace(/%[\da-z.:-]+$/i, "")}]` : address}/`)?.hostname
  const isAddress = isV6 ? host !== undefined : host === address && /^\d+(?:\.\d+){3}$/.test(address)
  if (!isAddress || rest.length > 0) return null
  if (length === undefined) return { isEveryAddress: false }
  if (!/^\d{1,3}$/.test(length) || Number(length) > (isV6 ? 128 : 32)) return null
  // An embedded IPv4 address begins behind 96 bits.
  const isEmbedded = isV6 && /^\[(?:::ffff|64:ff9b:):/.test(host ?? "")
  return { isEveryAddress: Number(length) <= (isEmbedded ? 96 : 0) }
}

function validateHeaderBytes({ requestLimits }: ResolvedConfig): string | null {
  const { headerBytes, sessionChunks } = requestLimits
  const least = leastHeaderBytes(requestLimits)
  if (headerBytes >= least) return null
  return `requestLimits.headerBytes: must be at least ${least}, the size of a session of ${sessionChunks} cookies. Raise it, or lower sessionChunks`
}

type AdapterMethod = keyof Adapter

const databaseSessionMethods: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]

/** The adapter methods that the providers and the session strategy need. */
function validateAdapter({ providers, session, adapter }: ResolvedConfig): AuthError | null {
  const shape = adapter && describeShape(adapter, "getUser")
  // Some adapters are functions or classes with the methods.
  if (shape && !("createUser" in adapter || "getUser" in adapter)) return new MissingAdapterMethods(`adapter: ${shape}`)
  const methods = [...new Set(providers.map(getMethod))]
  const mailing = methods.filter(({ adapterMethods }) => adapterMethods.includes("createVerificationToken"))
  // With email sign-in the contract requires no more than its own methods. Others fail when they are called.
  const needsSessions = session.strategy === "database" && mailing.length === 0
  const requirements = [
    ...mailing,
    ...(needsSessions ? [{ label: 'session.strategy "database"', adapterMethods: databaseSessionMethods }] : []),
    ...methods,
  ]
  for (const { label, adapterMethods } of requirements) {
    if (adapterMethods.length === 0) continue
    if (!adapter)
      return new MissingAdapter(
        `adapter: ${label} needs one, such as sqlite("app.db") from @latchkey/kysely-adapter/sqlite`,
      )
    // A key counts as present: some adapters are proxies that create their methods on demand.
    const missing = adapterMethods.filter((method) => !(method in adapter))
    if (missing.length > 0) return new MissingAdapterMethods(`adapter: ${label} needs ${missing.join(", ")}`)
  }
  return null
}

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
  // Passwords can be used more than once, and a single process, as in development, remembers what was used.
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
