import { findWeakness, maxSecrets } from "../crypto/keys.js"
import type { AuthError } from "../errors/auth-error.js"
import {
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  MissingSecret,
  UntrustedHost,
} from "../errors/errors.js"
import { parseIpRange } from "../http/client-address.js"
import { resolveCookies } from "../http/cookie-options.js"
import { validateCookie } from "../http/cookies.js"
import { leastHeaderBytes, mostSessionChunks } from "../http/limits.js"
import { isHttp, validateOrigin } from "../http/origin.js"
import { getMethod } from "../methods/find-method.js"
import { defaultBudgets } from "../rate-limit/budgets.js"
import type { Adapter } from "../types/adapter.js"
import type { AuthConfig, RequestLimits } from "../types/config.js"
import type { ResolvedConfig } from "../types/resolved.js"
import { validateProviders } from "./providers.js"

/** The first thing in a configuration that cannot work, in the order of the contract; null when all is well. */
export function validateConfig(config: ResolvedConfig): AuthError | null {
  return validateTrust(config) ?? validateOptions(config) ?? validateProviders(config) ?? validateAdapter(config)
}

function validateTrust({ trustHost, secrets }: ResolvedConfig): AuthError | null {
  if (!trustHost) {
    return new UntrustedHost(
      "trustHost: the request's host is not trusted. Set AUTH_URL to the app's address, with its https://; or trustHost: true (or AUTH_TRUST_HOST=true), if what stands before this service checks the host header",
    )
  }
  if (secrets.length === 0) {
    return new MissingSecret("secret: there is none. Set AUTH_SECRET to at least 32 random characters")
  }
  return null
}

/** Of which kind the value of an option is, and the words for it. A provider looks after its own options. */
interface Kind {
  readonly words: string
  fits(value: unknown): boolean
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const text: Kind = { words: "text", fits: (value) => typeof value === "string" }
const list: Kind = { words: "a list", fits: Array.isArray }
const object: Kind = { words: "an object", fits: isObject }
const callable: Kind = { words: "a function", fits: (value) => typeof value === "function" }

/** Nested options are named where something reads them before it asks what they are. */
const kinds: { readonly [Option in keyof AuthConfig]?: Kind | Readonly<Record<string, Kind>> } = {
  providers: list,
  // A class, a proxy or a function with the methods on it: whatever has them.
  adapter: { words: "an object", fits: (value) => isObject(value) || typeof value === "function" },
  basePath: text,
  callbacks: { signIn: callable, redirect: callable, jwt: callable, session: callable },
  events: object,
  cookies: {
    sessionToken: object,
    callbackUrl: object,
    csrfToken: object,
    pkceCodeVerifier: object,
    state: object,
    nonce: object,
    webauthnChallenge: object,
  },
  session: object,
  jwt: object,
  pages: { signIn: text, signOut: text, error: text, verifyRequest: text, newUser: text },
  theme: { colorScheme: text, logo: text, brandColor: text, buttonText: text },
  logger: { error: callable, warn: callable, debug: callable, record: callable },
  experimental: object,
}

/**
 * An option whose value is not even of its kind. Hosts are written without types too, or read their settings from
 * files.
 */
interface MistypedOption {
  readonly option: keyof AuthConfig
  /** With the option's path. */
  readonly sentence: string
}

/** Each option counts once. What is null or undefined is left out, as everywhere. */
export function findMistypedOptions(config: AuthConfig): readonly MistypedOption[] {
  return Object.entries(kinds).flatMap(([name, kind]) => {
    const option = name as keyof AuthConfig // The keys of the table are options.
    const sentence = findSentence(option, config[option], kind)
    return sentence === null ? [] : [{ option, sentence }]
  })
}

function findSentence(path: string, value: unknown, kind: Kind | Readonly<Record<string, Kind>>): string | null {
  if (value === undefined || value === null) return null
  if (isKind(kind)) return kind.fits(value) ? null : `${path}: must be ${kind.words}`
  if (!isObject(value)) return `${path}: must be an object`
  for (const [name, inner] of Object.entries(kind)) {
    const member: unknown = Reflect.get(value, name)
    if (member !== undefined && !inner.fits(member)) return `${path}.${name}: must be ${inner.words}`
  }
  return null
}

function isKind(kind: Kind | Readonly<Record<string, Kind>>): kind is Kind {
  return typeof kind["fits"] === "function"
}

/** Seconds in a hundred years: dates further away do not fit what holds them. */
const maxDurationSeconds = 100 * 366 * 24 * 60 * 60

/** The first top-level option whose value cannot work. */
function validateOptions(config: ResolvedConfig): InvalidConfiguration | null {
  const sentence =
    validateAllowedOrigins(config.allowedOrigins) ??
    validateSecrets(config) ??
    validateStrategy(config) ??
    validateDurations(config) ??
    validatePages(config) ??
    validateCookies(config) ??
    validateClientAddress(config) ??
    validateRateLimit(config) ??
    validateRequestLimits(config.requestLimits)
  return sentence === null ? null : new InvalidConfiguration(sentence)
}

function validateSecrets(config: ResolvedConfig): string | null {
  const { secrets, jwt } = config
  const sentence = validateSecretList(secrets, config)
  if (sentence !== null) return `secret: ${sentence}`
  const ownSentence = jwt.secrets === secrets ? null : validateSecretList(jwt.secrets, config)
  return ownSentence === null ? null : `jwt.secret: ${ownSentence}`
}

function validateSecretList(
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

function validateStrategy({ session }: ResolvedConfig): string | null {
  return ["jwt", "database"].includes(session.strategy) ? null : 'session.strategy: must be "jwt" or "database"'
}

function validateDurations({ session, jwt }: ResolvedConfig): string | null {
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

function validatePages({ pages }: ResolvedConfig): string | null {
  for (const [page, address] of Object.entries(pages)) {
    if (address === undefined) continue
    if (typeof address !== "string" || !isPageAddress(address)) {
      return `pages.${page}: must be a path that starts with one slash, or an http(s) URL`
    }
  }
  return null
}

/** Looked at as on https, unless the host decided otherwise: the scheme of the first request is not known yet. */
function validateCookies({ cookies: given, useSecureCookies }: ResolvedConfig): string | null {
  const cookies = resolveCookies(given, { isSecure: useSecureCookies ?? true })
  const purposeOf = new Map<string, string>()
  for (const [purpose, { name, options }] of Object.entries(cookies)) {
    const sentence = validateCookie(name, options)
    if (sentence !== null) return `cookies.${purpose}: ${sentence}`
    const other = purposeOf.get(name)
    // The name is also the purpose that a value is sealed for: a check cookie would open as a session.
    if (other !== undefined) return `cookies.${purpose}: has the name of cookies.${other}`
    purposeOf.set(name, purpose)
  }
  return null
}

type Method = keyof Adapter

const forStoredSessions: readonly Method[] = [
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
/** Whether the adapter has the methods that the providers and the session strategy need. */
function validateAdapter({ providers, session, adapter }: ResolvedConfig): AuthError | null {
  const methods = new Set(providers.map(getMethod))
  const mailing = [...methods].filter(({ adapterMethods }) => adapterMethods.includes("createVerificationToken"))
  const requirements = [
    ...mailing.map(({ label, adapterMethods }) => [label, adapterMethods] as const),
    // The contract checks no more of a store that email sign-in uses. Other missing methods fail when they are called.
    ...(session.strategy === "database" && mailing.length === 0
      ? [['session.strategy "database"', forStoredSessions] as const]
      : []),
    ...[...methods].map(({ label, adapterMethods }) => [label, adapterMethods] as const),
  ]
  for (const [reason, needed] of requirements) {
    const mistake = needed.length > 0 ? validateMethods(adapter, reason, needed) : null
    if (mistake) return mistake
  }
  return null
}

function validateMethods(adapter: Adapter | undefined, reason: string, methods: readonly Method[]): AuthError | null {
  if (!adapter) return new MissingAdapter(`adapter: ${reason} needs one`)
  // A key counts as present: some adapters are proxies that make their methods when these are called.
  const missing = methods.filter((method) => !(method in adapter))
  if (missing.length === 0) return null
  return new MissingAdapterMethods(`adapter: ${reason} needs ${missing.join(", ")}`)
}

/** What is wrong with the option `allowedOrigins`, as a sentence; null when nothing is. */
export function validateAllowedOrigins(entries: unknown): string | null {
  if (entries === undefined) return null
  if (!Array.isArray(entries)) return "allowedOrigins: must be a list of origins"
  if (entries.length === 0) return "allowedOrigins: must list an origin, or be left out"
  for (const [index, entry] of entries.entries()) {
    const sentence = validateOrigin(entry)
    if (sentence !== null) return `allowedOrigins[${index}]: ${sentence}`
  }
  return null
}

/** What keeps the visitor's address from being found. */
function validateClientAddress({ trustedProxies, clientAddress }: ResolvedConfig): string | null {
  if (clientAddress !== undefined && typeof clientAddress !== "function") {
    return "clientAddress: must be a function that reads the address from a request"
  }
  // A host without type checks may write one text, whose letters would be looked at one by one.
  if (!Array.isArray(trustedProxies)) return 'trustedProxies: must be a list, such as ["10.0.0.0/8"]'
  for (const [index, text] of trustedProxies.entries()) {
    const range = typeof text === "string" ? parseIpRange(text) : null
    if (!range) return `trustedProxies[${index}]: must be an address or a range, such as "10.0.0.0/8" or "2001:db8::1"`
    if (range.prefixLength === 0) {
      return `trustedProxies[${index}]: is every address there is, so that each visitor could choose their own. Name the proxies`
    }
  }
  return null
}

/** Counters that live longer than a year are not kept by any store. */
const maxWindowSeconds = 365 * 24 * 60 * 60

const storeMethods = ["consume", "refund", "has", "forget"] as const

/** What keeps requests from being counted. */
function validateRateLimit({ rateLimit }: ResolvedConfig): string | null {
  if (rateLimit === undefined || rateLimit === false) return null
  if (!isObjectLike(rateLimit)) return "rateLimit: must be an object, or false"
  const { budgets = {}, store, whenStoreFails, accountOf } = rateLimit
  if (store !== undefined && !isStore(store)) return `rateLimit.store: must have ${storeMethods.join(", ")}`
  if (whenStoreFails !== undefined && whenStoreFails !== "count-locally" && whenStoreFails !== "refuse") {
    return 'rateLimit.whenStoreFails: must be "count-locally" or "refuse"'
  }
  if (accountOf !== undefined && typeof accountOf !== "function") return "rateLimit.accountOf: must be a function"
  if (!isObjectLike(budgets)) return "rateLimit.budgets: must be an object"
  return validateBudgets(budgets)
}

function validateBudgets(budgets: object): string | null {
  for (const [name, budget] of Object.entries(budgets)) {
    const path = `rateLimit.budgets.${name}`
    if (!Object.hasOwn(defaultBudgets, name)) {
      return `${path}: there is no such budget, only ${Object.keys(defaultBudgets).join(", ")}`
    }
    if (budget === undefined || budget === false) continue
    if (!isCount(Reflect.get(Object(budget), "limit"), Number.MAX_SAFE_INTEGER)) {
      return `${path}.limit: must be a whole number of 1 or more; false lifts the budget`
    }
    if (!isCount(Reflect.get(Object(budget), "windowSeconds"), maxWindowSeconds)) {
      return `${path}.windowSeconds: must be a whole number of seconds, 1 or more and at most a year`
    }
  }
  return null
}

function isStore(store: unknown): boolean {
  return isObjectLike(store) && storeMethods.every((method) => typeof Reflect.get(store, method) === "function")
}

function isCount(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most
}

function isObjectLike(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

type Bounds = readonly [least: number, most: number]

const mebi = 1024 * 1024

const bounds: Readonly<Record<keyof RequestLimits, Bounds>> = {
  bodyBytes: [1024, 16 * mebi],
  headerBytes: [4096, mebi],
  urlLength: [1024, mebi],
  queryPairs: [10, 10_000],
  jsonDepth: [4, 1000],
  sessionChunks: [1, mostSessionChunks],
  flows: [1, 20],
  passkeyChallenges: [1, 10],
}

/** What of `requestLimits` cannot work. */
export function validateRequestLimits(limits: RequestLimits): string | null {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(bounds, name)) {
      return `requestLimits.${name}: there is no such limit, only ${Object.keys(bounds).join(", ")}`
    }
    // A key of the table, as just asked.
    const [least, most] = bounds[name as keyof RequestLimits]
    if (!(Number.isInteger(value) && value >= least && value <= most)) {
      return `requestLimits.${name}: must be a whole number from ${least} to ${most}`
    }
  }
  return findTooSmallHeaders(limits)
}

function findTooSmallHeaders(limits: RequestLimits): string | null {
  const least = leastHeaderBytes(limits)
  if (limits.headerBytes >= least) return null
  return `requestLimits.headerBytes: must be at least ${least}, or sessions that take ${limits.sessionChunks} cookies could not be read. Lower requestLimits.sessionChunks as well`
}

/** Whether a page of the host's can be where it says: a path with one slash before it, or an http(s) URL. */
export function isPageAddress(address: string): boolean {
  if (address.startsWith("/")) return !/^\/[/\\]/.test(address)
  return isHttp(URL.parse(address))
}
