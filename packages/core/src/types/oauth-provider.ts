import type { User } from "@latchkey/types"
import type { Awaitable, CommonProvider, customFetch, JsonValue, Optional } from "./basics.js"
import type { Account, Profile, TokenSet } from "./user.js"

/** Any OAuth 2.0 or OpenID Connect provider. */
export type OAuthConfig<P = Profile> = OAuth2Config<P> | OIDCConfig<P>

/** An OAuth 2.0 provider, RFC 6749. The profile is read from its userinfo endpoint. */
export interface OAuth2Config<P = Profile> extends OAuthProviderBasics<P> {
  /** `oauth` for OAuth 2.0 without OpenID Connect. */
  readonly type: "oauth"
  /** Protection of the flow, in addition to `state`. Default: `["pkce"]`. */
  readonly checks?: readonly OAuthCheck[] | undefined
  /** The options that were passed to the provider's factory. They override the provider's own fields. */
  readonly options?: OAuthUserConfig<P> | undefined
}

/** An OpenID Connect provider. The profile is read from the ID token. */
export interface OIDCConfig<P = Profile> extends OAuthProviderBasics<P> {
  /** `oidc` for OpenID Connect. */
  readonly type: "oidc"
  /** Protection of the flow, in addition to `state`. Default: `["pkce"]`. */
  readonly checks?: readonly OidcCheck[] | undefined
  /** False reads the profile from the userinfo endpoint; the ID token is still required. Default: true. */
  readonly idToken?: boolean | undefined
  /** The options that were passed to the provider's factory. They override the provider's own fields. */
  readonly options?: OIDCUserConfig<P> | undefined
}

/** Options of an OAuth 2.0 provider's factory: any field of the provider except its type. */
export interface OAuthUserConfig<P = Profile> extends FactOptions, OfProfile<P> {
  /** Protection of the flow, in addition to `state`. Default: `["pkce"]`. */
  readonly checks?: readonly OAuthCheck[] | undefined
}

/** Options of an OpenID Connect provider's factory: any field of the provider except its type. */
export interface OIDCUserConfig<P = Profile> extends FactOptions, OfProfile<P> {
  /** Protection of the flow, in addition to `state`. Default: `["pkce"]`. */
  readonly checks?: readonly OidcCheck[] | undefined
  /** False reads the profile from the userinfo endpoint; the ID token is still required. Default: true. */
  readonly idToken?: boolean | undefined
}

/** Without the profile's type, so that compilers compute it once for all providers. */
interface FactOptions extends Optional<Omit<CommonProvider & OAuthProviderFacts, "type" | "optionRules" | "derive">> {}

interface OAuthProviderBasics<P> extends CommonProvider, OAuthProviderFacts, OfProfile<P> {}

/** The fields whose types depend on the provider's profile. */
interface OfProfile<P> {
  /**
   * Turns the profile into a user. Default: id from `sub` or `id`; name from `name`, `nickname` or
   * `preferred_username`; `email`; image from `picture`.
   */
  readonly profile?: ProfileCallback<P> | undefined
  /**
   * Returns the part of the token set that is stored with the account. Default: the tokens, `expires_at`, `scope`,
   * `token_type` and `session_state`.
   */
  readonly account?: AccountCallback | undefined
}

/** The fields that `oauth` and `oidc` providers share. */
export interface OAuthProviderFacts {
  /** Unique among the configured providers; part of URLs. */
  readonly id: string
  /** Shown on the sign-in button. */
  readonly name: string
  /** The id of your app at the provider. Default: `AUTH_<ID>_ID`. */
  readonly clientId?: string | undefined
  /** The secret of your app at the provider. Default: `AUTH_<ID>_SECRET`. */
  readonly clientSecret?: string | undefined
  /** An API key that the provider requires in addition to the client secret. Default: `AUTH_<ID>_KEY`. */
  readonly apiKey?: string | undefined
  /** Issuer identifier, RFC 8414 section 2; endpoints that are not set are discovered there. Default: `AUTH_<ID>_ISSUER`. */
  readonly issuer?: string | undefined
  /**
   * Computes fields from your options and the environment, such as the endpoints of a self-hosted server. The
   * provider's other fields and your own options override them, except for the issuer, which may be the URL that it is
   * computed from. Called at the start, if `optionRules` pass.
   */
  readonly derive?: ((given: GivenFacts) => DerivedFacts) | undefined
  /** URL of the discovery document. Default: `<issuer>/.well-known/openid-configuration`. */
  readonly wellKnown?: string | undefined
  /** URL of the provider's public keys, RFC 7517 section 5. Default: discovered. */
  readonly jwks_endpoint?: string | undefined
  /** The authorization endpoint: a URL, or an object to set parameters. Default: discovered. */
  readonly authorization?: string | AuthorizationEndpoint | undefined
  /** The token endpoint: a URL, or an object to set parameters. Default: discovered. */
  readonly token?: string | TokenEndpoint | undefined
  /** The userinfo endpoint: a URL, or an object to set parameters. Default: discovered. */
  readonly userinfo?: string | UserinfoEndpoint | undefined
  /**
   * Where users sign out, for a provider with a sign-out of its own: a URL, or an object to set parameters. Used with the
   * option `providerLogout`. Default: discovered.
   */
  readonly logout?: string | LogoutEndpoint | undefined
  /**
   * The revocation endpoint, RFC 7009, for `accessTokens({ revoke })`: a URL, or an object to set parameters. Default:
   * discovered, if the provider has one.
   */
  readonly revocation?: string | RevocationEndpoint | undefined
  /** How your app is registered at the provider, RFC 7591 section 2. */
  readonly client?: OAuthClientOptions | undefined
  /** Color and logo of the sign-in button. */
  readonly style?: ProviderStyle | undefined
  /**
   * Links a new account to an existing user with the same email address. Safe only if the provider verifies addresses.
   * Default: false.
   */
  readonly allowDangerousEmailAccountLinking?: boolean | undefined
  /** As `AuthConfig.redirectProxyUrl`, for this provider alone. */
  readonly redirectProxyUrl?: string | undefined
  /** Limits of the calls to this provider. Few apps need to change them. */
  readonly advanced?: AdvancedOAuthOptions | undefined
  /**
   * Whether an issuer in the discovery document or in an ID token belongs to this provider, for providers with one
   * issuer per tenant. Default: it must equal `issuer`.
   */
  readonly isIssuer?: ((issuer: string, claims: Readonly<Record<string, unknown>>) => boolean) | undefined
  /**
   * Accepted JWS algorithms of ID tokens, for a provider that uses several. Default:
   * `client.id_token_signed_response_alg`.
   */
  readonly idTokenAlgorithms?: readonly string[] | undefined
  /** The `fetch` that calls this provider. Default: the platform's. */
  readonly [customFetch]?: typeof fetch | undefined
}

/** Limits of the calls to a provider. */
export interface AdvancedOAuthOptions {
  /** Allows plain http to hosts other than loopback. Default: false. */
  readonly allowInsecureRequests?: boolean | undefined
  /** Allowed difference between the provider's clock and this one in seconds, at most 60. Default: 30. */
  readonly clockToleranceSeconds?: number | undefined
  /** Time and size limits of the provider's answers. */
  readonly answerLimits?: AnswerLimits | undefined
}

/** Color and logo of a provider's sign-in button. */
export interface ProviderStyle {
  /** Color of the button, as a CSS color. */
  readonly brandColor?: string | undefined
  /** URL of an image, or a `data:image/` URL. Takes precedence over `mark`. */
  readonly logo?: string | undefined
  /**
   * The provider's logo in a view box of 24 by 24: SVG path data, which is drawn in `brandColor`, or paths with colors of
   * their own. Default: the first letter of the name.
   */
  readonly mark?: string | readonly MarkPath[] | undefined
  /** @deprecated Use `brandColor`. */
  readonly bg?: string | undefined
  /** @deprecated The text color is computed. */
  readonly text?: string | undefined
}

/** A part of a provider's logo. */
export interface MarkPath {
  /** SVG path data. */
  readonly path: string
  /** Hexadecimal, such as `#4285f4`. It is the same in light and dark mode. */
  readonly color: string
}

/** Protection of one sign-in flow: PKCE (RFC 7636), `state` (RFC 6749 section 10.12), or `none`, which is logged. */
export type OAuthCheck = "pkce" | "state" | "none"
/** As `OAuthCheck`; `nonce` also binds the ID token to the flow, OpenID Connect Core 1.0 section 15.5.2. */
export type OidcCheck = OAuthCheck | "nonce"

/** How your app is registered at the provider, RFC 7591 section 2. */
export interface OAuthClientOptions {
  /** How your app authenticates at the token endpoint. Default: `client_secret_basic`. */
  readonly token_endpoint_auth_method?: ClientAuthenticationMethod | (string & {}) | undefined
  /**
   * JWS algorithm of ID tokens. With `HS256` the client secret is the key. Default: the one from discovery, else RS256.
   */
  readonly id_token_signed_response_alg?: string | undefined
  /** JWS algorithm of a signed userinfo answer. */
  readonly userinfo_signed_response_alg?: string | undefined
  /** JWS algorithm of signed authorization responses (JARM). Default: the one from discovery, else RS256. */
  readonly authorization_signed_response_alg?: string | undefined
  readonly [metadata: string]: JsonValue | undefined
}

/** Client authentication, RFC 7591 section 2 and OpenID Connect Core 1.0 section 9. */
export type ClientAuthenticationMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "none"

/** Where users are sent to sign in, RFC 6749 section 3.1. */
export interface AuthorizationEndpoint {
  /** Default: discovered. */
  readonly url?: string | URL | undefined
  /**
   * Parameters to add to the authorization URL; an object under `claims` is sent as JSON. `response_mode` may be
   * `query` or `form_post`, or `jwt`, `query.jwt` or `form_post.jwt` for signed responses (JARM).
   */
  readonly params?: AuthorizationParameters | undefined
  /**
   * Sends the request to the provider directly, so that the browser only carries a reference to it (RFC 9126). True
   * uses the discovered endpoint; a URL sets it. Default: only if discovery requires it.
   */
  readonly pushed?: boolean | string | URL | undefined
  /**
   * The longest `state` that the provider accepts, in characters. With `redirectProxyUrl`, a state has up to 720, and
   * otherwise 57. Default: no limit.
   */
  readonly maxStateLength?: number | undefined
  /** Rewrites the finished URL, for a provider with its own parameter names. */
  readonly request?: ((context: AuthorizationRequestContext) => URL) | undefined
  /**
   * Repairs callback parameters that violate RFC 6749 section 4.1.2 before they are read, or throws to refuse them.
   * Return undefined to keep them. Not called for signed responses.
   */
  readonly conform?: ((context: AuthorizationResponseContext) => Awaitable<URLSearchParams | undefined>) | undefined
}

/** Query or form parameters by name. */
export type AuthorizationParameters = Readonly<Record<string, unknown>>

/** Arguments of a provider's `authorization.request`. */
export interface AuthorizationRequestContext {
  /** The URL with every parameter of the flow. A copy that you may change. */
  readonly url: URL
  /** The resolved provider. */
  readonly provider: OAuthProviderFacts
}

/** Arguments of a provider's `authorization.conform`. */
export interface AuthorizationResponseContext {
  /** The parameters of the callback; its state is already verified. A copy that you may change. */
  readonly parameters: URLSearchParams
  /** The resolved provider. */
  readonly provider: OAuthProviderFacts
}

/** Where a code is exchanged for tokens, RFC 6749 section 3.2. */
export interface TokenEndpoint {
  /** Default: discovered. */
  readonly url?: string | URL | undefined
  /** Parameters to add to the token requests of sign-ins and refreshes. */
  readonly params?: AuthorizationParameters | undefined
  /** The key for `private_key_jwt`. */
  readonly clientPrivateKey?: ClientPrivateKey | undefined
  /**
   * Replaces the requests of sign-ins and refreshes, for a provider with its own protocol; `params` has the
   * `grant_type`. The response is validated as usual.
   */
  readonly request?: ((context: TokenRequestContext) => Awaitable<Response>) | undefined
  /**
   * Names of callback parameters that a refresh needs again, such as the user's data center; `redirect_uri` is the one of
   * the sign-in. They are kept with the refresh token, and `request` gets them as its `callback`.
   */
  readonly keptParams?: readonly string[] | undefined
  /**
   * Seconds that access tokens live, for `accessTokens` and a provider that does not send `expires_in`. Default: unknown, so
   * that a token counts as valid until `getAccessToken` is called with `not`.
   */
  readonly expiresIn?: number | undefined
  /** Repairs a response that violates RFC 6749 section 5 before it is read. Return undefined to keep it. */
  readonly conform?: ((response: Response) => Awaitable<Response | undefined>) | undefined
}

/** A private key for `private_key_jwt`, with the key id under which the provider has its public half. */
export type ClientPrivateKey =
  | WebCryptoKey
  | {
      /** The key itself. */
      readonly key: WebCryptoKey
      /** Id of the key, for the header of the assertion. */
      readonly kid?: string | undefined
    }

/** `CryptoKey`, also where only the value is declared: Node's types have no global type of this name. */
type WebCryptoKey = InstanceType<typeof CryptoKey>

/** Arguments of a provider's `token.request`: the request that would be sent. */
export interface TokenRequestContext {
  /** URL of the endpoint. */
  readonly url: string
  /** The headers, with the client's authentication if it belongs there. */
  readonly headers: Headers
  /**
   * RFC 6749 section 4.1.3, or section 6 for a refresh, with the client's authentication if it belongs in the form. A copy
   * that you may change.
   */
  readonly params: URLSearchParams
  /** The validated parameters of the callback. For a refresh and a revocation: those in `token.keptParams`. */
  readonly callback: URLSearchParams
  /** The resolved provider. */
  readonly provider: HookProvider
}

/** Where tokens are revoked, RFC 7009. */
export interface RevocationEndpoint {
  /** Default: discovered. */
  readonly url?: string | URL | undefined
  /** Parameters to add to the revocation request. */
  readonly params?: AuthorizationParameters | undefined
  /** Replaces the request, for a provider with its own protocol. `params` has the `token` and its `token_type_hint`. */
  readonly request?: ((context: TokenRequestContext) => Awaitable<Response>) | undefined
}

/** Where the profile is read, OpenID Connect Core 1.0 section 5.3. */
export interface UserinfoEndpoint {
  /** Default: discovered. */
  readonly url?: string | URL | undefined
  /** Parameters to add to the query. */
  readonly params?: AuthorizationParameters | undefined
  /**
   * Replaces the request to `url`, and returns the profile. Throws if the provider refuses. A method, so that the context
   * may be annotated with the tokens that this provider returns.
   */
  request?: ((context: UserinfoRequestContext) => Awaitable<object>) | undefined
}

/** Arguments of a provider's `userinfo.request`. */
export interface UserinfoRequestContext {
  /** The whole token response, including the provider's own fields. */
  readonly tokens: TokenSet & { readonly access_token: string }
  /** `userinfo.url` with `userinfo.params`; undefined if there is no URL. */
  readonly url: URL | undefined
  /** The validated parameters of the callback. */
  readonly callback: URLSearchParams
  /** The resolved provider. */
  readonly provider: HookProvider
  /**
   * Verifies a JWT of this provider (signature, issuer, lifetime, and that its audience includes this client) and
   * returns its claims. Throws if it is invalid.
   */
  readonly verifyJwt: (token: string) => Promise<Readonly<Record<string, unknown>>>
}

/** Where users sign out, OpenID Connect RP-Initiated Logout 1.0 section 2. */
export interface LogoutEndpoint {
  /** Default: discovered. */
  readonly url?: string | URL | undefined
  /**
   * Parameters that differ from the standard ones. Null leaves one out. A value may be `{id_token_hint}`, `{client_id}`,
   * `{logout_hint}`, `{post_logout_redirect_uri}`, `{state}`, or a claim of the ID token such as `{claim:login_hint}`; a
   * parameter whose value is unknown is left out.
   * @example { post_logout_redirect_uri: null, returnTo: "{post_logout_redirect_uri}" }
   */
  readonly params?: Readonly<Record<string, string | null>> | undefined
  /** Rewrites the finished URL, for a provider that needs more than its own parameter names. */
  readonly request?: ((context: AuthorizationRequestContext) => URL) | undefined
}

/** The resolved provider as its own hooks get it. */
export type HookProvider = OAuthProviderFacts & {
  /** `fetch` with the service's time and size limits. Use it for every call of a hook. */
  readonly fetch: typeof fetch
}

/** Turns a profile into a user. The returned `id` identifies the account at the provider. */
export type ProfileCallback<P> = (profile: P, tokens: TokenSet, provider?: HookProvider) => Awaitable<User>
/** Returns the part of the token set that is stored with the account. */
// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return statement stores no tokens.
export type AccountCallback = (tokens: TokenSet) => TokenSet | undefined | void

/** The options that a provider's `derive` can use. */
export interface GivenFacts {
  /** The `issuer` from your options or the environment. */
  readonly issuer?: string | undefined
  /** The `clientId` from your options or the environment. */
  readonly clientId?: string | undefined
  /** The `clientSecret` from your options or the environment. */
  readonly clientSecret?: string | undefined
  /** The `apiKey` from your options or the environment. */
  readonly apiKey?: string | undefined
}

/** The fields that a provider's `derive` can set. */
export type DerivedFacts = Partial<
  Pick<
    OAuthProviderFacts,
    "issuer" | "wellKnown" | "jwks_endpoint" | "authorization" | "token" | "userinfo" | "logout" | "client" | "isIssuer"
  >
>

/** Limits of every answer of a provider: discovery, keys, tokens and userinfo. */
export interface AnswerLimits {
  /** Time for the whole call including the body, in seconds, at most 60. Default: 10. */
  readonly seconds?: number | undefined
  /** Size of the body in bytes, at most 16 MiB. Default: 1 MiB. */
  readonly bytes?: number | undefined
}

/** The fields of an account that come from the token endpoint. */
export type AccountTokens = Omit<Account, "provider" | "providerAccountId" | "type" | "userId">
