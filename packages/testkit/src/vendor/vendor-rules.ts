import type { Members } from "../identity-provider/faults/fault.js"
import type { SigningAlg } from "../identity-provider/keys.js"

/**
 * Expected parameters or headers, by name. A text can contain the placeholders `{client_id}`, `{client_secret}`, `{code}`,
 * `{redirect_uri}`, `{access_token}` and `{challenge}`.
 */
export type Expected = Readonly<Record<string, string | RegExp>>

/** The response of an endpoint: the members of a JSON response with status 200, or a whole response. */
export type VendorAnswer = Members | Response

/** A vendor's own error response. */
export interface VendorRefusal {
  /** Default: 400. */
  readonly status?: number | undefined
  readonly body: Members | string
}

/** How a vendor's sign-in works, as documented by the vendor. Requests that differ are rejected. */
export interface VendorRules {
  readonly authorization: AuthorizationRules
  readonly token: TokenRules
  /** Without it, the vendor speaks plain OAuth 2.0. */
  readonly openId?: OpenIdRules | undefined
  /** Resources that require an access token, starting with the profile. */
  readonly resources?: readonly ResourceRules[] | undefined
  /** The user, in the vendor's own format. */
  readonly profile: Members
  /** The client id. Default: a random one. */
  readonly clientId?: string | undefined
}

/** The rules of an authorization page. */
export interface AuthorizationRules {
  /** URL without query. */
  readonly url: string
  /** All parameters besides those of the protocol. */
  readonly parameters?: Expected | undefined
  /** Name of the client id parameter. Default: `client_id`. */
  readonly clientIdName?: string | undefined
  /** Value of `response_type`. Default: `code`. */
  readonly responseType?: string | undefined
  /** True requires a code challenge, false forbids it. Default: true. */
  readonly pkce?: boolean | undefined
  /** True requires a nonce, false forbids it. Default: false. */
  readonly nonce?: boolean | undefined
  /** Format of the state. Default: any. */
  readonly state?: RegExp | undefined
  /** Fragment of the URL, after `#`. */
  readonly fragment?: string | undefined
  /** Parameters of the redirect besides `code` and `state`. */
  readonly extra?: Readonly<Record<string, string>> | undefined
  /** Changes the parameters of the redirect, as the last step. */
  readonly finish?:
    | ((answer: URLSearchParams, clientSecret: string) => URLSearchParams | Promise<URLSearchParams>)
    | undefined
  /** Parameters of the redirect if the user denies. Default: `error=access_denied`. */
  readonly refusal?: Readonly<Record<string, string>> | undefined
}

/** The rules of a token endpoint. */
export interface TokenRules {
  /** URL without query. */
  readonly url: string
  /** Default: `POST`. */
  readonly method?: "GET" | "POST" | undefined
  /** `basic`: RFC 6749 section 2.3.1. `post`: in the parameters. `none`: no client authentication. Default: `basic`. */
  readonly authentication?: "basic" | "post" | "none" | undefined
  /** Where the parameters are. Default: `form`. */
  readonly encoding?: "form" | "json" | "query" | undefined
  /** All parameters except `code_verifier`. Default: those of RFC 6749 section 4.1.3 and of the authentication. */
  readonly parameters?: Expected | undefined
  /** Further parameters. */
  readonly more?: Expected | undefined
  /** Required headers. */
  readonly headers?: Expected | undefined
  /** The token response. Default: that of RFC 6749 section 5.1, valid for an hour, without a refresh token. */
  readonly answer?: ((issued: IssuedTokens) => VendorAnswer | Promise<VendorAnswer>) | undefined
  /** Response of a refused sign-in. Default: `invalid_grant`, RFC 6749 section 5.2. */
  readonly refusal?: VendorRefusal | undefined
}

/** The parts of a token response. */
export interface IssuedTokens {
  /** The response of RFC 6749 section 5.1, with an ID token if the vendor speaks OpenID Connect. */
  readonly standard: Members & { readonly access_token: string }
  readonly profile: Members
  readonly clientId: string
  /** Signs a JWT with these claims, valid for an hour. It is accepted as access token. */
  readonly sign: (claims: Members) => Promise<string>
}

/** The OpenID Connect side of a vendor. */
export interface OpenIdRules {
  /** The issuer in discovery, callbacks and tokens. */
  readonly issuer: string
  /** URL of the discovery document. Default: `<issuer>/.well-known/openid-configuration`. */
  readonly wellKnown?: string | undefined
  /** URL of the key set. Default: `<issuer>/jwks`. */
  readonly jwks?: string | undefined
  /** Overrides members of the discovery document. */
  readonly metadata?: Members | undefined
  /** How ID tokens are signed. Default: RS256. */
  readonly alg?: SigningAlg | undefined
  /** Claims of the ID token, besides those of the protocol. Default: the profile. */
  readonly claims?: Members | undefined
  /** Omits the nonce from the ID token, as some vendors do. Default: false. */
  readonly forgetsNonce?: boolean | undefined
  /** Issuer of ID tokens. Default: {@link issuer}. */
  readonly tokenIssuer?: string | undefined
}

/** The rules of a resource. */
export interface ResourceRules {
  /** URL with query. */
  readonly url: string
  /** Default: `GET`. */
  readonly method?: "GET" | "POST" | undefined
  /** True requires the bearer header of RFC 6750 section 2.1, false forbids it. Default: true. */
  readonly bearer?: boolean | undefined
  /** Required headers. */
  readonly headers?: Expected | undefined
  /** All fields of a form. */
  readonly form?: Expected | undefined
  /** All members of a JSON body. */
  readonly json?: Expected | undefined
  /** The response. Default: the profile. */
  readonly answer?:
    | ((issued: Pick<IssuedTokens, "profile" | "clientId" | "sign">) => VendorAnswer | Promise<VendorAnswer>)
    | undefined
  /** Response of a refused sign-in. Default: 401 with `invalid_token`, RFC 6750 section 3.1. */
  readonly refusal?: VendorRefusal | undefined
}

/** The stage of a sign-in at which a vendor refuses. */
export type RefusedStage = "authorization" | "token" | "profile"

/** The client registered at a vendor. */
export interface VendorClient {
  readonly client_id: string
  readonly client_secret: string
}
