import type { User } from "@latchkey/types"
import type { Awaitable, CommonProvider, customFetch, JsonValue } from "./basics.js"
import type { Account, Profile, TokenSet } from "./user.js"

/** How a provider looks on the sign-in page. */
export interface ProviderStyle {
  /** A CSS colour. */
  readonly brandColor?: string
  /** URL of an image, or a `data:image/` URL. Goes before `mark`. */
  readonly logo?: string
  /** The provider's sign as SVG path data in a view box of 24 by 24. It is drawn in one colour. */
  readonly mark?: string
  /** @deprecated Use `brandColor`. */
  readonly bg?: string
  /** @deprecated The text colour is computed. */
  readonly text?: string
}

/** Protection of one sign-in flow. `none` switches every check off and says so in the log. */
export type OAuthCheck = "pkce" | "state" | "none"
/** As `OAuthCheck`; `nonce` binds the ID token to the flow. */
export type OidcCheck = OAuthCheck | "nonce"

/** RFC 7591 section 2; OpenID Connect Core 1.0 section 9. */
export type ClientAuthenticationMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "none"

/** Metadata under which this app is registered at the provider, RFC 7591 section 2. */
export interface OAuthClientOptions {
  readonly token_endpoint_auth_method?: ClientAuthenticationMethod | (string & {})
  /**
   * JWS algorithm of ID tokens. `HS256` makes the client secret the key. Default: what discovery announces, else RS256.
   */
  readonly id_token_signed_response_alg?: string
  /** JWS algorithm of a signed userinfo answer. */
  readonly userinfo_signed_response_alg?: string
  /** JWS algorithm of signed authorization responses (JARM). Default: what discovery announces, else RS256. */
  readonly authorization_signed_response_alg?: string
  readonly [metadata: string]: JsonValue | undefined
}

/** Query or form parameters by name. */
export type AuthorizationParameters = Readonly<Record<string, unknown>>

/** The resolved provider, as its own hooks are given it. */
export type HookProvider = OAuthProviderFacts & {
  /** Has this service's deadline and size limit. A hook's calls go through it. */
  readonly fetch: typeof fetch
}

/** What a provider's `authorization.request` is given. */
export interface AuthorizationRequestContext {
  /** With every parameter of the flow. The function's own copy. */
  readonly url: URL
  readonly provider: OAuthProviderFacts
}

/** What a provider's `authorization.conform` is given. */
export interface AuthorizationResponseContext {
  /** Of the callback, whose state was compared. The function's own copy. */
  readonly parameters: URLSearchParams
  readonly provider: OAuthProviderFacts
}

/** Where visitors are sent to sign in, RFC 6749 section 3.1. */
export interface AuthorizationEndpoint {
  readonly url?: string | URL
  /**
   * Added to the authorization URL; an object under `claims` is sent as JSON. `response_mode` may be `query`,
   * `form_post`, or for answers that the provider signs (JARM) `jwt`, `query.jwt` or `form_post.jwt`.
   */
  readonly params?: AuthorizationParameters
  /**
   * Whether the request is handed to the provider itself, so that the visitor's browser only carries a reference to it:
   * RFC 9126. True: at the address that discovery names; or the address. Default: where discovery says that it is
   * required.
   */
  readonly pushed?: boolean | string | URL
  /** Rewrites the finished URL for a provider that names parameters its own way. */
  readonly request?: (context: AuthorizationRequestContext) => URL
  /**
   * Repairs a callback that breaks RFC 6749 section 4.1.2 before it is read, or throws to refuse it. Nothing returned:
   * its parameters stay. Not asked where the provider signs its answers.
   */
  readonly conform?: (context: AuthorizationResponseContext) => Awaitable<URLSearchParams | undefined>
}

/** A private key for `private_key_jwt`: a CryptoKey, with the key id that the provider knows it by. */
export type ClientPrivateKey = WebCryptoKey | { readonly key: WebCryptoKey; readonly kid?: string }

/** `CryptoKey`, also where only the value is declared: Node's types know no global type of this name. */
type WebCryptoKey = InstanceType<typeof CryptoKey>

/** What a provider's `token.request` is given: the request that would be sent, and what it is made of. */
export interface TokenRequestContext {
  readonly url: string
  /** With the client's authentication, where that is in a header. */
  readonly headers: Headers
  /** RFC 6749 section 4.1.3, with the client's authentication where that is in the form. The function's own copy. */
  readonly params: URLSearchParams
  /** Validated parameters of the callback. */
  readonly callback: URLSearchParams
  readonly provider: HookProvider
}

/** Where a code is exchanged for tokens, RFC 6749 section 3.2. */
export interface TokenEndpoint {
  readonly url?: string | URL
  readonly params?: AuthorizationParameters
  readonly clientPrivateKey?: ClientPrivateKey
  /** Replaces the request for a provider that wants it otherwise. The answer is read and judged as any other. */
  readonly request?: (context: TokenRequestContext) => Awaitable<Response>
  /** Repairs an answer that breaks RFC 6749 section 5 before it is read. Nothing returned: the answer stays. */
  readonly conform?: (response: Response) => Awaitable<Response | undefined>
}

/** What a provider's `userinfo.request` is given: what the flow brought, and the resolved provider. */
export interface UserinfoRequestContext {
  /** The whole token answer: fields of the provider's own too. */
  readonly tokens: TokenSet
  /** `userinfo.url` with `userinfo.params`; undefined without one. */
  readonly url: URL | undefined
  /** Validated parameters of the callback. */
  readonly callback: URLSearchParams
  readonly provider: HookProvider
  /**
   * Claims of a signed JWT of this provider: verified are its signature, with the provider's keys, issuer, lifetime,
   * and that this client is in its audience. Throws otherwise.
   */
  readonly verifyJwt: (token: string) => Promise<Readonly<Record<string, unknown>>>
}

/** Where the profile is read, OpenID Connect Core 1.0 section 5.3. */
export interface UserinfoEndpoint {
  readonly url?: string | URL
  readonly params?: AuthorizationParameters
  /** Replaces the request to `url`. Throws when the provider refuses. */
  readonly request?: (context: UserinfoRequestContext) => Awaitable<Profile>
}

/** Makes a user of a profile. The user's `id` says which account it is. `provider` is there when the service asks. */
export type ProfileCallback<P> = (profile: P, tokens: TokenSet, provider?: HookProvider) => Awaitable<User>
// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return statement stores no tokens.
export type AccountCallback = (tokens: TokenSet) => TokenSet | undefined | void

/** What a host or the environment said of a provider that its `derive` may build on. */
export interface GivenFacts {
  readonly issuer?: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly apiKey?: string
}

/** Facts that follow from others. */
export type DerivedFacts = Partial<
  Pick<
    OAuthProviderFacts,
    "issuer" | "wellKnown" | "jwks_endpoint" | "authorization" | "token" | "userinfo" | "client" | "isIssuer"
  >
>

/** Limits of each answer of a provider: of discovery, keys, tokens and userinfo alike. */
export interface AnswerLimits {
  /** For the whole call, its body included, at most 60. Default: 10. */
  readonly seconds?: number
  /** At most 16 MiB. Default: 1 MiB. */
  readonly bytes?: number
}

/** What `oauth` and `oidc` providers have in common. */
export interface OAuthProviderFacts {
  readonly id: string
  readonly name: string
  readonly clientId?: string
  readonly clientSecret?: string
  /** A key that the provider wants beside the client's secret. */
  readonly apiKey?: string
  readonly issuer?: string
  /**
   * Facts that follow from what the host and the environment gave, such as endpoints below a self-hosted address. They
   * lie under the host's own, except the issuer: what a host gives there may be the address that it is built from.
   * Asked when the configuration is resolved, if `optionRules` hold.
   */
  readonly derive?: (given: GivenFacts) => DerivedFacts
  /** Discovery document. Default: `<issuer>/.well-known/openid-configuration`. */
  readonly wellKnown?: string
  readonly jwks_endpoint?: string
  readonly authorization?: string | AuthorizationEndpoint
  readonly token?: string | TokenEndpoint
  readonly userinfo?: string | UserinfoEndpoint
  readonly client?: OAuthClientOptions
  readonly style?: ProviderStyle
  /** Links an account to the user who has the same email address. Safe only if the provider verifies addresses. */
  readonly allowDangerousEmailAccountLinking?: boolean
  readonly redirectProxyUrl?: string
  /** Lets plain http reach a host that is not loopback. */
  readonly allowInsecureRequests?: boolean
  /** How far the provider's clock may differ from this service's, in seconds, at most 60. Default: 30. */
  readonly clockToleranceSeconds?: number
  /** What an answer of the provider may cost. */
  readonly answerLimits?: AnswerLimits
  /**
   * Tells whether an issuer of the discovery document or of an ID token is this provider's, where one issuer text does
   * not fit all (tenants).
   */
  readonly isIssuer?: (issuer: string, claims: Readonly<Record<string, unknown>>) => boolean
  /**
   * JWS algorithms of ID tokens, for a provider that may use any of several. Default: the one of
   * `client.id_token_signed_response_alg`.
   */
  readonly idTokenAlgorithms?: readonly string[]
  readonly [customFetch]?: typeof fetch
}

interface OAuthProviderBasics<P> extends CommonProvider, OAuthProviderFacts {
  readonly id: string
  readonly name: string
  /**
   * Default: id from `sub` or `id`; name from `name`, `nickname` or `preferred_username`; `email`; image from
   * `picture`.
   */
  readonly profile?: ProfileCallback<P>
  /**
   * The part of the token set that is stored. Default: tokens, `expires_at`, `scope`, `token_type`, `session_state`.
   */
  readonly account?: AccountCallback
}

/** An OAuth 2.0 provider, RFC 6749. Who signed in is read from its userinfo endpoint. */
export interface OAuth2Config<P = Profile> extends OAuthProviderBasics<P> {
  readonly type: "oauth"
  /** Default: `["pkce"]`. */
  readonly checks?: readonly OAuthCheck[]
  readonly options?: OAuthUserConfig<P>
}

/** An OpenID Connect provider. Who signed in is read from the ID token. */
export interface OIDCConfig<P = Profile> extends OAuthProviderBasics<P> {
  readonly type: "oidc"
  /** Default: `["pkce"]`. */
  readonly checks?: readonly OidcCheck[]
  /** False: the profile is read from the userinfo endpoint; an ID token must still come. Default: true. */
  readonly idToken?: boolean
  readonly options?: OIDCUserConfig<P>
}

/** Any provider that speaks OAuth 2.0. */
export type OAuthConfig<P = Profile> = OAuth2Config<P> | OIDCConfig<P>

/** What a host passes to a factory: any field of the provider except its type. */
export type OAuthUserConfig<P = Profile> = Partial<Omit<OAuth2Config<P>, HostLacks>>
/** What a host passes to a factory of an OpenID Connect provider. */
export type OIDCUserConfig<P = Profile> = Partial<Omit<OIDCConfig<P>, HostLacks>>
/** What only a provider says of itself. */
type HostLacks = "type" | "options" | "optionRules" | "derive"

/** The fields of an account that come from the token endpoint. */
export type AccountTokens = Omit<Account, "provider" | "providerAccountId" | "type" | "userId">
