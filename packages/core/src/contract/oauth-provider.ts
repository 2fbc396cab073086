import type { Account, TokenSet } from "./account.js"
import type { Awaitable } from "./awaitable.js"
import type { CommonProvider } from "./common-provider.js"
import type { JsonValue } from "./json.js"
import type { customFetch } from "./markers.js"
import type { Profile } from "./profile.js"
import type { User } from "./user.js"

/** How a provider looks on the sign-in page. */
export interface ProviderStyle {
  /** A CSS colour. */
  readonly brandColor?: string
  /** URL of an image, or a `data:image/` URL. */
  readonly logo?: string
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
  /** JWS algorithm of ID tokens. `HS256` makes the client secret the key. Default: what discovery announces, else RS256. */
  readonly id_token_signed_response_alg?: string
  /** JWS algorithm of a signed userinfo answer. */
  readonly userinfo_signed_response_alg?: string
  readonly [metadata: string]: JsonValue | undefined
}

/** Query or form parameters by name. */
export type AuthorizationParameters = Readonly<Record<string, unknown>>

/** Where visitors are sent to sign in, RFC 6749 section 3.1. */
export interface AuthorizationEndpoint {
  readonly url?: string | URL
  /** Added to the authorization URL; an object under `claims` is sent as JSON. */
  readonly params?: AuthorizationParameters
}

/** A private key for `private_key_jwt`: a CryptoKey, with the key id that the provider knows it by. */
export type ClientPrivateKey = WebCryptoKey | { readonly key: WebCryptoKey; readonly kid?: string }

/** `CryptoKey`, also where only the value is declared: Node's types know no global type of this name. */
type WebCryptoKey = InstanceType<typeof CryptoKey>

/** Where a code is exchanged for tokens, RFC 6749 section 3.2. */
export interface TokenEndpoint {
  readonly url?: string | URL
  readonly params?: AuthorizationParameters
  readonly clientPrivateKey?: ClientPrivateKey
  /** Repairs an answer that breaks RFC 6749 section 5 before it is read. Nothing returned: the answer stays. */
  readonly conform?: (response: Response) => Awaitable<Response | undefined>
}

/** What a provider's `userinfo.request` is given: the flow's tokens and the resolved provider. */
export interface UserinfoRequestContext {
  readonly tokens: TokenSet
  readonly provider: OAuthProviderFacts & {
    /** Has this service's deadline and size limit. Calls of a userinfo request go through it. */
    readonly fetch: typeof fetch
  }
}

/** Where the profile is read, OpenID Connect Core 1.0 section 5.3. */
export interface UserinfoEndpoint {
  readonly url?: string | URL
  readonly params?: AuthorizationParameters
  /** Replaces the request to `url`. Throws when the provider refuses. */
  readonly request?: (context: UserinfoRequestContext) => Awaitable<Profile>
}

/** Makes a user of a profile. The user's `id` says which account it is. */
export type ProfileCallback<P> = (profile: P, tokens: TokenSet) => Awaitable<User>
// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return statement stores no tokens.
export type AccountCallback = (tokens: TokenSet) => TokenSet | undefined | void

/** What `oauth` and `oidc` providers have in common. */
export interface OAuthProviderFacts {
  readonly id: string
  readonly name: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
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
  /** Tells whether an issuer of the discovery document or of an ID token is this provider's, where one issuer text does not fit all (tenants). */
  readonly isIssuer?: (issuer: string, claims: Readonly<Record<string, unknown>>) => boolean
  readonly [customFetch]?: typeof fetch
}

interface OAuthProviderBasics<P> extends CommonProvider, OAuthProviderFacts {
  readonly id: string
  readonly name: string
  /** Default: id from `sub` or `id`; name from `name`, `nickname` or `preferred_username`; `email`; image from `picture`. */
  readonly profile?: ProfileCallback<P>
  /** The part of the token set that is stored. Default: tokens, `expires_at`, `scope`, `token_type`, `session_state`. */
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
export type OAuthUserConfig<P = Profile> = Partial<Omit<OAuth2Config<P>, "type" | "options">>
export type OIDCUserConfig<P = Profile> = Partial<Omit<OIDCConfig<P>, "type" | "options">>

/** The fields of an account that come from the token endpoint. */
export type AccountTokens = Omit<Account, "provider" | "providerAccountId" | "type" | "userId">
