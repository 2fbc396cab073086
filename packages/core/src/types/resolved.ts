import type { Adapter } from "./adapter.js"
import type { Optional, OptionRule, signInMethod, Theme } from "./basics.js"
import type { CallbacksOptions, EventCallbacks } from "./callbacks.js"
import type { AuthConfig, PagesOptions, RequestLimits } from "./config.js"
import type { CookiesOptions } from "./http.js"
import type { JWTOptions, Secret } from "./jwt.js"
import type { LoggerInstance } from "./logger.js"
import type {
  AccountCallback,
  AuthorizationEndpoint,
  OAuthProviderFacts,
  OidcCheck,
  ProfileCallback,
  TokenEndpoint,
  UserinfoEndpoint,
} from "./oauth-provider.js"
import type { CredentialsConfig, EmailConfig, WebAuthnConfig } from "./providers.js"
import type { Profile } from "./user.js"

export interface ResolvedSession {
  readonly strategy: "jwt" | "database"
  /** Seconds. */
  readonly maxAge: number
  /** Seconds. Undefined: only idle sessions end. */
  readonly absoluteMaxAge: number | undefined
  /** Seconds. */
  readonly updateAge: number
  readonly generateSessionToken: (() => string) | undefined
  /** False to refuse features that keep records of the sessions. */
  readonly canTrack: boolean
}

export interface ResolvedJwt {
  readonly secrets: readonly string[]
  /** Seconds. */
  readonly maxAge: number
  /** As the app configured it: a string or a list. */
  readonly secret: Secret | undefined
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
}

/**
 * The hosts that are trusted while the app configures neither its URL nor its host: the names and addresses of this
 * machine (`loopback`), or also those of its network (`network`).
 */
export type LocalHosts = "loopback" | "network"

/** An app's configuration with every default filled in. Read-only. */
export interface ResolvedConfig {
  readonly providers: readonly ResolvedProvider[]
  readonly adapter: Adapter | undefined
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string
  /** Newest first. Empty when the app gave none, which is refused. */
  readonly secrets: readonly string[]
  readonly callbacks: Optional<CallbacksOptions> | undefined
  readonly events: Optional<EventCallbacks> | undefined
  readonly cookies: Optional<CookiesOptions> | undefined
  readonly session: ResolvedSession
  readonly jwt: ResolvedJwt
  readonly pages: Partial<PagesOptions>
  readonly theme: Theme
  readonly logger: Optional<LoggerInstance> | undefined
  readonly isDebug: boolean
  readonly isProduction: boolean
  readonly trustHost: boolean
  /** The hosts that are trusted while the app configures none. Null: `trustHost` decides. */
  readonly localHosts: LocalHosts | null
  /** The value of `AUTH_URL`. Undefined if it is not set. */
  readonly authUrl?: string | undefined
  readonly allowedOrigins: readonly string[] | undefined
  readonly useSecureCookies: boolean | undefined
  readonly isCsrfSkipped: boolean
  /** Addresses and ranges as configured; `http/ip-address.ts` parses them. */
  readonly trustedProxies: readonly string[]
  readonly clientAddress: AuthConfig["clientAddress"]
  readonly clearCacheOnSignOut: boolean
  /** Seconds. */
  readonly freshFor: number
  readonly securityNotices: boolean
  readonly rateLimit: AuthConfig["rateLimit"]
  readonly requestLimits: RequestLimits
}

/**
 * An OAuth or OpenID Connect provider with the app's options merged in and the defaults filled in: endpoints are objects.
 * `state` is sent with every flow, listed in `checks` or not, unless they hold `none`.
 */
export interface ResolvedOAuthProvider
  extends Omit<OAuthProviderFacts, "authorization" | "token" | "userinfo" | "derive"> {
  readonly type: "oauth" | "oidc"
  readonly optionRules?: Readonly<Record<string, OptionRule>> | undefined
  readonly [signInMethod]?: object | undefined
  readonly clientId: string
  readonly authorization: AuthorizationEndpoint
  readonly token: TokenEndpoint
  readonly userinfo: UserinfoEndpoint
  readonly checks: readonly OidcCheck[]
  /** Whether the profile comes from the ID token. */
  readonly idToken: boolean
  readonly profile?: ProfileCallback<Profile> | undefined
  readonly account?: AccountCallback | undefined
  /** Where the provider sends the visitor: the proxy's address, when there is one. */
  readonly redirectProxyUrl?: string | undefined
  /** Whether the callback arrives as a form: OAuth 2.0 Form Post Response Mode. */
  readonly isFormPost: boolean
  /** Whether the callback holds one signed token with the answer: JWT Secured Authorization Response Mode (JARM). */
  readonly isJwtResponse: boolean
}

export type ResolvedProvider = ResolvedOAuthProvider | EmailConfig | CredentialsConfig | WebAuthnConfig
