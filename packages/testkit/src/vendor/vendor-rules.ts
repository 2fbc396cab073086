import type { Members } from "../identity-provider/faults/fault.js"
import type { SigningAlg } from "../identity-provider/keys.js"

/**
 * What is expected of a parameter or header. Text may name what the flow brought: `{client_id}`, `{client_secret}`,
 * `{code}`, `{redirect_uri}`, `{access_token}`, `{challenge}`.
 */
export type Expected = Readonly<Record<string, string | RegExp>>

/** What an endpoint answers: JSON with status 200, or a whole answer. */
export type VendorAnswer = Members | Response

/** A refusal in a vendor's own words. */
export interface VendorRefusal {
  /** Default: 400. */
  readonly status?: number
  readonly body: Members | string
}

/** How one vendor's sign-in works, as its documentation has it. The fake refuses everything else. */
export interface VendorRules {
  readonly authorization: AuthorizationRules
  readonly token: TokenRules
  /** Absent: plain OAuth 2.0. */
  readonly openId?: OpenIdRules
  /** What is asked with an access token; the profile first. */
  readonly resources?: readonly ResourceRules[]
  /** Who signs in, in the vendor's words. */
  readonly profile: Members
  /** The id under which the app is registered. Default: a random one. */
  readonly clientId?: string
}

export interface AuthorizationRules {
  /** Without query. */
  readonly url: string
  /** All parameters but those of the flow. */
  readonly parameters?: Expected
  /** Default: `client_id`. */
  readonly clientIdName?: string
  /** Default: `code`. */
  readonly responseType?: string
  /** Whether a code challenge must come; without, it must not. Default: true. */
  readonly pkce?: boolean
  /** Whether a nonce must come; without, it must not. Default: false. */
  readonly nonce?: boolean
  /** Default: any. */
  readonly state?: RegExp
  /** What comes after `#`. */
  readonly fragment?: string
  /** What comes back besides `code` and `state`. */
  readonly extra?: Readonly<Record<string, string>>
  /** Edits what comes back, the last step of all. */
  readonly finish?: (answer: URLSearchParams, clientSecret: string) => URLSearchParams | Promise<URLSearchParams>
  /** Comes back when the person declines. Default: `error=access_denied`. */
  readonly refusal?: Readonly<Record<string, string>>
}

export interface TokenRules {
  /** Without query. */
  readonly url: string
  /** Default: `POST`. */
  readonly method?: "GET" | "POST"
  /** `basic`: RFC 6749 section 2.3.1; `post`: in the parameters; `none`: neither. Default: `basic`. */
  readonly authentication?: "basic" | "post" | "none"
  /** Default: `form`. */
  readonly encoding?: "form" | "json" | "query"
  /** All parameters but `code_verifier`. Default: those of RFC 6749 section 4.1.3 and of the authentication. */
  readonly parameters?: Expected
  /** Added to the parameters. */
  readonly more?: Expected
  /** Headers that must come. */
  readonly headers?: Expected
  /** Default: what RFC 6749 section 5.1 has, an hour of life and no refresh token. */
  readonly answer?: (issued: IssuedTokens) => VendorAnswer | Promise<VendorAnswer>
  /** Default: `invalid_grant`, RFC 6749 section 5.2. */
  readonly refusal?: VendorRefusal
}

/** What a token answer is made of. */
export interface IssuedTokens {
  /** The answer of RFC 6749 section 5.1, with the ID token of an OpenID provider. */
  readonly standard: Members & { readonly access_token: string }
  readonly profile: Members
  readonly clientId: string
  /** A JWT of the vendor's with these claims, issued now for an hour. It counts as an access token as well. */
  readonly sign: (claims: Members) => Promise<string>
}

export interface OpenIdRules {
  /** As discovery, callbacks and tokens name it. */
  readonly issuer: string
  /** Default: `<issuer>/.well-known/openid-configuration`. */
  readonly wellKnown?: string
  /** Default: `<issuer>/jwks`. */
  readonly jwks?: string
  /** Laid over the discovery document. */
  readonly metadata?: Members
  /** Default: RS256. */
  readonly alg?: SigningAlg
  /** Claims of the ID token besides those of the protocol. Default: the profile. */
  readonly claims?: Members
  /** Some vendors leave a nonce out although they were sent one. Default: false. */
  readonly forgetsNonce?: boolean
  /** Issuer of ID tokens. Default: {@link issuer}. */
  readonly tokenIssuer?: string
}

export interface ResourceRules {
  /** With its query. */
  readonly url: string
  /** Default: `GET`. */
  readonly method?: "GET" | "POST"
  /** Whether the token comes in the header of RFC 6750 section 2.1; without, there is no such header. Default: true. */
  readonly bearer?: boolean
  readonly headers?: Expected
  /** All fields of a form. */
  readonly form?: Expected
  /** All members of a JSON body. */
  readonly json?: Expected
  /** Default: the profile. */
  readonly answer?: (
    issued: Pick<IssuedTokens, "profile" | "clientId" | "sign">,
  ) => VendorAnswer | Promise<VendorAnswer>
  /** Default: 401 with `invalid_token`, RFC 6750 section 3.1. */
  readonly refusal?: VendorRefusal
}

/** The part of a sign-in at which a vendor refuses. */
export type RefusedStage = "authorization" | "token" | "profile"

/** The app as it is registered. */
export interface VendorClient {
  readonly client_id: string
  readonly client_secret: string
}
