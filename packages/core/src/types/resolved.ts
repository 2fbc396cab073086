import type { AuthError } from "../errors/auth-error.js"
import type { Adapter } from "./adapter.js"
import type { OptionRule, signInMethod, Theme } from "./basics.js"
import type { CallbacksOptions, EventCallbacks } from "./callbacks.js"
import type { AuthConfig, PagesOptions, RequestLimits, SessionTracking, TokenKeeping } from "./config.js"
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
  readonly track: SessionTracking | undefined
}

export interface ResolvedJwt {
  readonly secrets: readonly string[]
  /** Seconds. */
  readonly maxAge: number
  /** As the host configured it: a string or a list. */
  readonly secret: Secret | undefined
  readonly encode: JWTOptions["encode"]
  readonly decode: JWTOptions["decode"]
}

/**
 * The value of an option that the factory of a feature's own subpath makes. The feature brings its code along, so that a
 * bundler leaves out the features that a host does not import.
 */
export interface Feature {
  /** The first mistake in what the feature needs, such as methods that the adapter lacks. Null if there is none. */
  validate(config: ResolvedConfig): AuthError | null
  /**
   * Its routes by path below the base path and by HTTP method. `*` as the last segment stands for any one segment. They
   * are not actions: without the feature they do not exist.
   */
  readonly routes?: FeatureRoutes
  /** Adds to what the app's callbacks get and return. Called once for http and once for https. */
  wrapCallbacks?<Callbacks extends object>(
    callbacks: Callbacks,
    setting: { readonly isSecure: boolean },
    config: ResolvedConfig,
  ): Callbacks
}

/** Routes by path. `actions/context.ts` has the type of a route. */
export type FeatureRoutes = Readonly<Record<string, object>>

/** A host's configuration with every default filled in. Never written to. */
export interface ResolvedConfig {
  readonly providers: readonly ResolvedProvider[]
  readonly adapter: Adapter | undefined
  /** The features that are switched on. */
  readonly features: readonly Feature[]
  /** Without a trailing slash; empty at the root. */
  readonly basePath: string
  /** Newest first. Empty when the host gave none, which is refused. */
  readonly secrets: readonly string[]
  readonly callbacks: Partial<CallbacksOptions> | undefined
  readonly events: Partial<EventCallbacks> | undefined
  readonly cookies: Partial<CookiesOptions> | undefined
  readonly session: ResolvedSession
  readonly accessTokens: TokenKeeping | undefined
  readonly jwt: ResolvedJwt
  readonly pages: Partial<PagesOptions>
  readonly theme: Theme
  readonly logger: Partial<LoggerInstance> | undefined
  readonly isDebug: boolean
  readonly isProduction: boolean
  readonly trustHost: boolean
  readonly allowedOrigins: readonly string[] | undefined
  readonly useSecureCookies: boolean | undefined
  readonly isCsrfSkipped: boolean
  /** Addresses and ranges as configured; `http/ip-address.ts` parses them. */
  readonly trustedProxies: readonly string[]
  readonly clientAddress: AuthConfig["clientAddress"]
  readonly rateLimit: AuthConfig["rateLimit"]
  readonly requestLimits: RequestLimits
}

/**
 * An OAuth or OpenID Connect provider with the host's options merged in and the defaults filled: endpoints are objects.
 * `state` is sent with every flow, listed in `checks` or not, unless they hold `none`.
 */
export interface ResolvedOAuthProvider
  extends Omit<OAuthProviderFacts, "authorization" | "token" | "userinfo" | "derive"> {
  readonly type: "oauth" | "oidc"
  readonly optionRules?: Readonly<Record<string, OptionRule>>
  readonly [signInMethod]?: object
  readonly clientId: string
  readonly authorization: AuthorizationEndpoint
  readonly token: TokenEndpoint
  readonly userinfo: UserinfoEndpoint
  readonly checks: readonly OidcCheck[]
  /** Whether the profile comes from the ID token. */
  readonly idToken: boolean
  readonly profile?: ProfileCallback<Profile> | undefined
  readonly account?: AccountCallback
  /** Where the provider sends the visitor: the proxy's address, when there is one. */
  readonly redirectProxyUrl?: string
  /** Whether the callback arrives as a form: OAuth 2.0 Form Post Response Mode. */
  readonly isFormPost: boolean
  /** Whether the callback holds one signed token with the answer: JWT Secured Authorization Response Mode (JARM). */
  readonly isJwtResponse: boolean
}

export type ResolvedProvider = ResolvedOAuthProvider | EmailConfig | CredentialsConfig | WebAuthnConfig
