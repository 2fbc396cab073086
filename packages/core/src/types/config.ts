import type { AppSession, DefaultSession } from "@latchkey/types"
import type { Adapter, AdapterUser } from "./adapter.js"
import type { Awaitable, Optional, raw, skipCSRFCheck, Theme } from "./basics.js"
import type { CallbacksOptions, EventCallbacks } from "./callbacks.js"
import type { CookiesOptions } from "./http.js"
import type { JWTOptions, Secret } from "./jwt.js"
import type { LoggerInstance } from "./logger.js"
import type { Provider } from "./providers.js"
import type { RateLimitOptions } from "./rate-limit.js"

/**
 * The configuration of `Auth`. `providers` and `secret` are required; everything else has a default. `defineAuth` infers the
 * type parameters.
 * @typeParam Extra The fields that the adapter adds to a stored user.
 * @typeParam Shown The session that clients see: what `callbacks.session` returns.
 */
export interface AuthConfig<Extra = unknown, Shown extends DefaultSession = DefaultSession> {
  /** The sign-in methods that the app offers, in the order of the sign-in page. */
  providers: Provider[]
  /**
   * Database for users, accounts and sessions. Required for email and passkey sign-in and for database sessions.
   * Default: none; each session is an encrypted cookie.
   */
  adapter?: (Adapter & StoreOf<Extra>) | undefined
  /** Path below which the actions are served. Default: the path of `AUTH_URL`, or `/auth`. */
  basePath?: string | undefined
  /**
   * Key for session tokens and every other value that the service protects: at least 32 random characters. To rotate
   * it, pass a list with the newest first: the first one encrypts, all of them decrypt. Default: `AUTH_SECRET`.
   */
  secret?: Secret | undefined
  /** Functions that decide about sign-ins, redirects, tokens and sessions. */
  callbacks?: Optional<CallbacksOptions<Extra, Shown>> | undefined
  /** Functions that are called after something happened, for audit logs or welcome emails. They cannot change the result. */
  events?: Optional<EventCallbacks<Extra>> | undefined
  /** Names and attributes of the cookies, merged over the defaults. */
  cookies?: Optional<CookiesOptions> | undefined
  /** How sessions are stored, and how long they last. */
  session?: SessionOptions | undefined
  /**
   * Asks for a second factor before a session starts, however the user signs in: `secondFactors()` from
   * `@latchkey/core/second-factors`. Needs an adapter with the methods for it. Default: no second factors.
   */
  secondFactors?: SecondFactor | undefined
  /**
   * Keeps the access tokens of providers fresh and seals them, in the database, in cookies or in a store of your own:
   * `accessTokens()` from `@latchkey/core/access-tokens`. Default: tokens are stored unencrypted when an account is linked, and
   * never updated.
   */
  accessTokens?: TokenKeeping | undefined
  /**
   * Signs users out at their provider too, and ends the sessions that a provider reports as ended: `providerLogout()` from
   * `@latchkey/core/provider-logout`. Default: a sign-out ends only the session of this app.
   */
  providerLogout?: ProviderLogout | undefined
  /**
   * Signs users in to native apps, which then send a token in the `Authorization` header: `nativeApps()` from
   * `@latchkey/core/native-apps`. Needs an adapter with `keepTemporary` and `takeTemporary`. Default: only cookies sign
   * requests in.
   */
  nativeApps?: NativeAccess | undefined
  /**
   * Pages where users manage their own account, below `<basePath>/account`, and the same as JSON: `accountArea()` from
   * `@latchkey/core/account-area`. Needs an adapter. Default: no such pages.
   */
  accountArea?: AccountArea | undefined
  /**
   * Answers the probes of `latchkey doctor`, which are made with the secret: `answerDoctor()` from `@latchkey/core/doctor`.
   * Default: it sees the public routes alone.
   */
  doctor?: Doctor | undefined
  /** Secret, lifetime and encoding of session tokens, for `session.strategy: "jwt"`. */
  jwt?: Optional<JWTOptions> | undefined
  /** Paths or URLs of your own pages. Default: the built-in pages. */
  pages?: Optional<PagesOptions> | undefined
  /** Name, logo, colors and shapes of the built-in pages and of the emails. */
  theme?: Theme | undefined
  /**
   * The languages of the built-in pages and emails: `languages()` from `@latchkey/core/languages`. Each visitor gets the best
   * one for their browser. Default: English only.
   */
  languages?: Languages | undefined
  /** Your own logger. Default: the console. */
  logger?: Optional<LoggerInstance> | undefined
  /** Logs debug messages to the console. They may contain personal data. Default: false. */
  debug?: boolean | undefined
  /**
   * Trust the Host header. Set it when a proxy in front validates it. Default: true if `AUTH_URL`, `AUTH_TRUST_HOST`,
   * `VERCEL` or `CF_PAGES` is set; else the app answers to `localhost` and, in development, to private addresses only.
   */
  trustHost?: boolean | undefined
  /**
   * The origins under which the service may be reached: `https://app.test`, or `https://*.app.test` for every subdomain
   * one level below. Requests for other origins are refused, and a redirect proxy forwards to these only. List the
   * origins of all instances that share this configuration. Default: any trusted host; a redirect proxy then forwards
   * nowhere.
   */
  allowedOrigins?: readonly string[] | undefined
  /** Sends cookies over https only, with the prefix `__Secure-` or `__Host-`. Default: true if the request uses https. */
  useSecureCookies?: boolean | undefined
  /**
   * URL and base path of an instance that receives OAuth callbacks for this one, such as a stable URL for preview
   * deployments. It forwards each code to the instance that began the flow, if its `allowedOrigins` include that
   * instance. Default: `AUTH_REDIRECT_PROXY_URL`.
   */
  redirectProxyUrl?: string | undefined
  /**
   * Addresses and ranges (`10.0.0.0/8`, `2001:db8::1`) of the proxies in front of this service. Forwarding headers
   * from other addresses are ignored. Default: none.
   */
  trustedProxies?: readonly string[] | undefined
  /**
   * Returns the client's IP address, for platforms without sockets: read it from a header that the platform sets on
   * every request. Return undefined if it is unknown. Default: the address that the integration passes, and
   * `trustedProxies`.
   */
  clientAddress?: ((request: Request) => string | undefined) | undefined
  /**
   * Empties the browser's cache of the whole origin when a session ends over https (`Clear-Site-Data: "cache"`), so that Back
   * shows no page of the signed-in user. Default: true.
   */
  clearCacheOnSignOut?: boolean | undefined
  /**
   * Seconds after a proof of who they are in which users can change what protects their account: ways to sign in, their address,
   * the password, an export, the deletion, and the consent to a native app. From 60 to 600; a longer time is refused. Default: 600.
   */
  freshFor?: number | undefined
  /**
   * Mails users that a second factor, a passkey or a linked account was added or removed, or recovery codes were replaced, if
   * something sends mails: `accountArea({ mail })`, `Passwords`, or an email provider that sends whole mails. Only to verified
   * addresses. Default: true.
   */
  securityNotices?: boolean | undefined
  /** Limits on requests, emails and failed sign-ins, or false for none. Default: on in production, off elsewhere. */
  rateLimit?: RateLimitOptions | false | undefined
  /** Maximum sizes of requests, and how many cookies a browser is given to keep. */
  requestLimits?: Optional<RequestLimits> | undefined
  /**
   * Accepted, so that a configuration for Auth.js works unchanged.
   * @deprecated Has no effect.
   */
  experimental?: ExperimentalOptions | undefined
  /**
   * Turns CSRF tokens off, for frameworks that protect their forms themselves. Takes the exported symbol, not `true`.
   * @internal
   */
  skipCSRFCheck?: typeof skipCSRFCheck | undefined
  /**
   * Makes `Auth` return a {@link ResponseInternal} instead of a `Response`, for framework integrations.
   * @internal
   */
  raw?: typeof raw | undefined
}

/** The method that tells which fields the store adds to a user. */
interface StoreOf<Extra> {
  getUser?(id: string): Awaitable<(AdapterUser & Extra) | null>
}

/** Options of Auth.js for features that are stable here. */
export interface ExperimentalOptions {
  /** @deprecated Has no effect: passkeys work as soon as `providers` lists `Passkey` or `WebAuthn`. */
  readonly enableWebAuthn?: boolean | undefined
}

/** Where sessions are kept. */
export type SessionStrategy = "jwt" | "database"

/** How sessions are stored, and how long they last. */
export interface SessionOptions {
  /**
   * `jwt` keeps the session in an encrypted cookie, `database` in the adapter. Default: `database` with an adapter,
   * else `jwt`.
   */
  readonly strategy?: SessionStrategy | undefined
  /** Idle lifetime in seconds. Default: 30 days. */
  readonly maxAge?: number | undefined
  /**
   * Absolute lifetime in seconds, counted from the sign-in, no matter how often the session is used. It adds the claim
   * `auth_time` to session tokens, and a timestamp to the tokens of stored sessions, so their column must be text.
   * Default: none.
   */
  readonly absoluteMaxAge?: number | undefined
  /**
   * Minimum number of seconds between two extensions of a stored session; 0 extends it on every access.
   * Default: 1 day, or a tenth of a `maxAge` of at most 1 day.
   */
  readonly updateAge?: number | undefined
  /**
   * Keeps a record of each session, so that users see where they are signed in and can end each session, stateless ones
   * too: `trackSessions()` from `@latchkey/core/sessions`. Needs an adapter with the methods for it. `false` refuses a
   * configuration that needs them. Default: `trackSessions()` with `Passwords`, `secondFactors` or `accountArea`, else
   * `false`.
   */
  readonly track?: SessionTracking | false | undefined
  /**
   * Sessions of the library that the app used before: readers of `@latchkey/import`, such as `nextAuthV4()` from
   * `@latchkey/import/next-auth-v4`. A browser that has a cookie of that library gets a session of this app in its place, so
   * that nobody has to sign in again. The first reader that finds a session wins. Default: none.
   */
  readonly accept?: readonly AcceptedSource[] | undefined
  /** Returns the token of a new stored session. Default: 32 random bytes in hexadecimal. */
  readonly generateSessionToken?: (() => string) | undefined
}

/** The value of an option that the factory of a feature creates. What else it holds is not public. */
export interface FeatureValue {
  /** The option that it is for. */
  readonly feature: string
}

/** The value of `languages`. `languages()` creates it. */
export interface Languages extends FeatureValue {
  readonly feature: "languages"
}

/** The value of `session.track`. `trackSessions()` creates it. */
export interface SessionTracking extends FeatureValue {
  readonly feature: "session.track"
}

/** A value of `session.accept`. The readers of `@latchkey/import` create it. */
export interface AcceptedSource extends FeatureValue {
  readonly feature: "session.accept"
}

/** The value of `secondFactors`. `secondFactors()` creates it. */
export interface SecondFactor extends FeatureValue {
  readonly feature: "secondFactors"
}

/** The value of `accessTokens`. `accessTokens()` creates it. */
export interface TokenKeeping extends FeatureValue {
  readonly feature: "accessTokens"
}

/** The value of `providerLogout`. `providerLogout()` creates it. */
export interface ProviderLogout extends FeatureValue {
  readonly feature: "providerLogout"
}

/** The value of `nativeApps`. `nativeApps()` creates it. */
export interface NativeAccess extends FeatureValue {
  readonly feature: "nativeApps"
}

/** The value of `accountArea`. `accountArea()` creates it. */
export interface AccountArea extends FeatureValue {
  readonly feature: "accountArea"
}

/** The value of `doctor`. `answerDoctor()` creates it. */
export interface Doctor extends FeatureValue {
  readonly feature: "doctor"
}

/** Your own pages, as paths or URLs. A page that is left out is the built-in one. */
export interface PagesOptions {
  /** The sign-in page. Gets `callbackUrl` and, after a failure, `error` (and `code`) in the query. */
  signIn: string
  /** The page that asks whether to sign out. */
  signOut: string
  /** The page for errors that a new sign-in does not fix. Gets `error` in the query. */
  error: string
  /** The page after a sign-in link was mailed. */
  verifyRequest: string
  /** The page for users who just signed in for the first time. Default: the callback URL. */
  newUser: string
}

/** Maximum sizes of requests, and how many cookies a browser is given to keep. All values are integers. */
export interface RequestLimits {
  /** Maximum size of a body in bytes, before it is parsed (413). 1,024 to 16 MiB. Default: 64 KiB. */
  readonly bodyBytes: number
  /**
   * Maximum size in bytes of all headers together, names included (431). Where a session is read, only its cookies
   * count. At least 4,096 for each of `sessionChunks`, at most 1 MiB. Default: 16 KiB more than twenty session cookies
   * need, or than `sessionChunks` cookies if you set it. Node's own limit of 16 KiB applies first, unless you raise it.
   */
  readonly headerBytes: number
  /** Maximum length of the URL in characters, query included (414). 1,024 to 1 MiB. Default: 16 KiB. */
  readonly urlLength: number
  /** Maximum number of parameters in the query (400). 10 to 10,000. Default: 100. */
  readonly queryPairs: number
  /** Maximum nesting depth of a JSON body (400). 4 to 1,000. Default: 32. */
  readonly jsonDepth: number
  /**
   * Maximum number of cookies, of 3,936 characters each, for one session. A sign-in whose session needs more fails; an
   * existing session stays as it is. Raise it only together with the header limit of every server and proxy: up to 3,
   * a session has at most 10 KiB, because Node accepts 16 KiB of headers. 1 to 20. Default: 3.
   */
  readonly sessionChunks: number
  /** OAuth sign-ins that one browser may have in progress; a new one replaces the oldest. 1 to 20. Default: 5. */
  readonly flows: number
  /** Passkey challenges that one browser may have in progress; a new one replaces the oldest. 1 to 10. Default: 3. */
  readonly passkeyChallenges: number
}

/** No value has it: it carries the type of the session. */
declare const shown: unique symbol

/** A configuration whose `session` callback returns `Shown`. */
export interface Shows<Shown extends DefaultSession> {
  readonly [shown]?: Shown
}

/**
 * The session that clients of a configuration see: what the `session` callback of a configuration from `defineAuth` returns,
 * else {@link AppSession}.
 * @typeParam Source The type of the configuration, or of the function that returns it.
 * @example declare module "@latchkey/core" { interface Register { session: SessionOf<typeof config> } }
 */
export type SessionOf<Source> = Source extends (...args: never[]) => infer Made
  ? SessionOf<Awaited<Made>>
  : Source extends Shows<infer Shown>
    ? DefaultSession extends Shown
      ? AppSession
      : Shown
    : AppSession
