import { mostSessionChunks } from "../http/cookies.js"
import { isHttpAddress } from "../http/origin.js"
import { defaultBudgets } from "../rate-limit/budgets.js"
import { isFontFamily } from "../types/basics.js"
import type { CallbacksOptions, EventCallbacks } from "../types/callbacks.js"
import type { AuthConfig, PagesOptions, RequestLimits, SessionOptions } from "../types/config.js"
import type { CookiesOptions } from "../types/http.js"
import type { JWTOptions } from "../types/jwt.js"
import type { LoggerInstance } from "../types/logger.js"
import type { RateLimitBudget, RateLimitOptions } from "../types/rate-limit.js"

/**
 * The values that an option accepts. `scripts/options.mjs` writes the reference in the guide from the kinds and from the
 * doc comments of the types.
 */
export interface OptionKind {
  /** Completes "must be ...". Empty if the value is not tested. */
  readonly words: string
  /** Tested before the configuration is resolved, which would throw for a value of another type. */
  readonly hasType?: (value: unknown) => boolean
  /** Tested after the defaults are filled in. */
  readonly isValid?: (value: unknown) => boolean
  /** The options of an object. */
  readonly fields?: Readonly<Record<string, OptionKind>>
  /** Refuses unknown fields: a misspelled limit would limit nothing. */
  readonly isClosed?: boolean
  readonly isRequired?: boolean
  /** Whether the factory of a feature makes the value. */
  readonly isFeature?: boolean
}

/** A kind for each field: the compiler refuses a table that lacks an option. */
export type Kinds<Options> = { readonly [Name in keyof Required<Options>]: OptionKind }

const isString = (value: unknown): value is string => typeof value === "string"
const isFunction = (value: unknown): boolean => typeof value === "function"
/** Whether the value has fields, like an object or an array. */
export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const string: OptionKind = { words: "a string", hasType: isString }
const callable: OptionKind = { words: "a function", hasType: isFunction }
/** Null has always been accepted for an event that the host does not handle. */
const handler: OptionKind = { words: "a function", hasType: (value) => value === null || isFunction(value) }
/** Text is refused: a variable that holds "false" would turn the option on. */
const boolean: OptionKind = { words: "true or false", hasType: (value) => typeof value === "boolean" }
/** Checked elsewhere, if at all: by functions in `validate.ts` or by the sign-in methods. */
const untested: OptionKind = { words: "" }
/** Null means the built-in page: pages are often listed with null for those that the app does not have. */
const page: OptionKind = {
  words: "a path that starts with one slash, or an http(s) URL",
  hasType: (value) => value === null || isString(value),
  isValid: (value) => value === null || (isString(value) && isPageAddress(value)),
}
const cookie: OptionKind = { words: "an object", hasType: isObject }

function group<Options>(fields: Kinds<Options>): OptionKind {
  return { words: "an object", hasType: isObject, fields }
}

/** The factory of a feature. Anything else, such as `true`, brings no code with it. */
function resultOf(factory: string): OptionKind {
  return {
    words: `the result of ${factory}`,
    hasType: (value) => isObject(value) && "feature" in value,
    isFeature: true,
  }
}

function either(kind: OptionKind, other: false): OptionKind {
  return {
    ...kind,
    words: `${kind.words} or ${other}`,
    hasType: (value) => value === other || kind.hasType?.(value) === true,
  }
}

export function oneOf(...values: readonly string[]): OptionKind {
  return {
    words: values.map((value) => `"${value}"`).join(" or "),
    isValid: (value) => values.some((one) => one === value),
  }
}

function seconds(words: string, isInRange: (value: number) => boolean): OptionKind {
  return {
    words: `a number of seconds${words}`,
    isValid: (value) => Number.isFinite(value) && isInRange(Number(value)),
  }
}

export function integer(least: number, most: number, words = `an integer from ${least} to ${most}`): OptionKind {
  return { words, isValid: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most }
}

const day = 24 * 60 * 60
const mebi = 1024 * 1024

/** Later dates do not fit into cookies and columns. */
const lifetime = seconds(" above 0 and at most 100 years", (value) => value > 0 && value <= 100 * 366 * day)

const budget: OptionKind = {
  words: "an object, or false",
  isValid: (value) => value === false || isObject(value),
  fields: {
    limit: { ...integer(1, Number.MAX_SAFE_INTEGER, "an integer of at least 1"), isRequired: true },
    // No store keeps counters for longer than a year.
    windowSeconds: {
      ...integer(1, 365 * day, "an integer of seconds, at least 1 and at most a year"),
      isRequired: true,
    },
  } satisfies Kinds<RateLimitBudget>,
}

const storeMethods = ["consume", "refund", "has", "forget"]

const rateLimit: OptionKind = {
  words: "an object, or false",
  isValid: (value) => value === false || isObject(value),
  fields: {
    budgets: {
      words: "an object",
      isValid: isObject,
      fields: Object.fromEntries(Object.keys(defaultBudgets).map((name) => [name, budget])),
      isClosed: true,
    },
    store: {
      words: `an object with the methods ${storeMethods.join(", ")}`,
      isValid: (value) => isObject(value) && storeMethods.every((method) => isFunction(Reflect.get(value, method))),
    },
    whenStoreFails: oneOf("count-locally", "refuse"),
    accountOf: { words: "a function", isValid: isFunction },
  } satisfies Kinds<RateLimitOptions>,
}

const requestLimits: OptionKind = {
  ...group<RequestLimits>({
    // First, because the default of headerBytes depends on it.
    sessionChunks: integer(1, mostSessionChunks),
    bodyBytes: integer(1024, 16 * mebi),
    headerBytes: integer(4096, mebi),
    urlLength: integer(1024, mebi),
    queryPairs: integer(10, 10_000),
    jsonDepth: integer(4, 1000),
    flows: integer(1, 20),
    passkeyChallenges: integer(1, 10),
  }),
  isClosed: true,
}

/** All options of `AuthConfig`. The options of providers are validated by their sign-in methods. */
export const options: Kinds<AuthConfig> = {
  providers: { words: "a list", hasType: Array.isArray, isRequired: true },
  // A class, a proxy or a function: what counts is that it has the methods.
  adapter: { words: "an object", hasType: (value) => isObject(value) || isFunction(value) },
  basePath: {
    words: "a path, such as /auth",
    hasType: isString,
    // The origin is that of AUTH_URL.
    isValid: (value) => isString(value) && !value.includes("://"),
  },
  secret: untested,
  callbacks: group<CallbacksOptions>({ signIn: callable, redirect: callable, session: callable, jwt: callable }),
  events: group<EventCallbacks>({
    signIn: handler,
    signOut: handler,
    createUser: handler,
    updateUser: handler,
    linkAccount: handler,
    accountUnlinked: handler,
    emailChanged: handler,
    userDeleted: handler,
    sessionsEnded: handler,
    passwordSet: handler,
    passwordChanged: handler,
    passwordReset: handler,
    factorAdded: handler,
    factorRemoved: handler,
    recoveryCodeUsed: handler,
    tokensRefreshed: handler,
    tokensLost: handler,
    session: handler,
  }),
  cookies: group<CookiesOptions>({
    sessionToken: cookie,
    callbackUrl: cookie,
    csrfToken: cookie,
    pkceCodeVerifier: cookie,
    state: cookie,
    nonce: cookie,
    webauthnChallenge: cookie,
  }),
  session: group<SessionOptions>({
    strategy: oneOf("jwt", "database"),
    maxAge: lifetime,
    absoluteMaxAge: lifetime,
    updateAge: seconds(", 0 or more", (value) => value >= 0),
    generateSessionToken: callable,
    track: either(resultOf("trackSessions()"), false),
    accept: {
      words: "a list of readers of @latchkey/import, such as nextAuthV4()",
      hasType: (value) =>
        Array.isArray(value) &&
        value.every((each) => isObject(each) && Reflect.get(each, "feature") === "session.accept"),
    },
  }),
  secondFactors: resultOf("secondFactors()"),
  providerLogout: resultOf("providerLogout()"),
  accessTokens: resultOf("accessTokens()"),
  nativeApps: resultOf("nativeApps()"),
  accountArea: resultOf("accountArea()"),
  doctor: resultOf("answerDoctor()"),
  jwt: group<JWTOptions>({
    secret: untested,
    maxAge: lifetime,
    encode: callable,
    decode: callable,
  }),
  pages: group<PagesOptions>({ signIn: page, signOut: page, error: page, verifyRequest: page, newUser: page }),
  theme: group<NonNullable<AuthConfig["theme"]>>({
    name: string,
    colorScheme: { words: '"auto", "dark" or "light"', hasType: isString },
    logo: string,
    logoDark: string,
    brandColor: string,
    buttonText: string,
    cornerRadius: integer(0, 24),
    fontFamily: {
      words: "names of fonts, such as Georgia, serif",
      isValid: isFontFamily,
    },
    layout: oneOf("card", "plain"),
    links: group<NonNullable<NonNullable<AuthConfig["theme"]>["links"]>>({
      terms: page,
      privacy: page,
      support: page,
    }),
    rememberProvider: boolean,
    visibleProviders: integer(1, 1000),
  }),
  languages: resultOf("languages()"),
  logger: group<LoggerInstance>({ error: callable, warn: callable, debug: callable, record: callable }),
  debug: boolean,
  trustHost: boolean,
  allowedOrigins: untested,
  useSecureCookies: boolean,
  redirectProxyUrl: untested,
  trustedProxies: untested,
  clientAddress: { words: "a function", isValid: isFunction },
  clearCacheOnSignOut: boolean,
  freshFor: integer(60, 600, "an integer of seconds from 60 to 600: a proof counts for at most ten minutes"),
  securityNotices: boolean,
  rateLimit,
  requestLimits,
  experimental: group<NonNullable<AuthConfig["experimental"]>>({ enableWebAuthn: boolean }),
  skipCSRFCheck: untested,
  raw: untested,
}

/** Whether a page can have this address: an http(s) URL, or a path. `//` and `/\` would lead to another host. */
export function isPageAddress(address: string): boolean {
  return /^\/(?![/\\])/.test(address) || isHttpAddress(address)
}
