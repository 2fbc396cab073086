import type { OptionRule } from "../contract/common-provider.js"
import type { CredentialsConfig } from "../contract/credentials-provider.js"
import type { EmailConfig } from "../contract/email-provider.js"
import type {
  AccountCallback,
  AuthorizationEndpoint,
  OAuthProviderFacts,
  OidcCheck,
  ProfileCallback,
  TokenEndpoint,
  UserinfoEndpoint,
} from "../contract/oauth-provider.js"
import type { Profile } from "../contract/profile.js"
import type { WebAuthnConfig } from "../contract/webauthn-provider.js"

/**
 * An OAuth or OpenID Connect provider with the host's options merged in and the defaults filled: endpoints are objects,
 * `profile` and `account` exist. `state` is sent with every flow, listed in `checks` or not, unless they hold `none`.
 */
export interface ResolvedOAuthProvider
  extends Omit<OAuthProviderFacts, "authorization" | "token" | "userinfo" | "derive"> {
  readonly type: "oauth" | "oidc"
  readonly optionRules?: Readonly<Record<string, OptionRule>>
  readonly clientId: string
  readonly authorization: AuthorizationEndpoint
  readonly token: TokenEndpoint
  readonly userinfo: UserinfoEndpoint
  readonly checks: readonly OidcCheck[]
  /** Whether the profile comes from the ID token. */
  readonly idToken: boolean
  readonly profile: ProfileCallback<Profile>
  readonly account: AccountCallback
  /** Where the provider sends the visitor: the proxy's address, when there is one. */
  readonly redirectProxyUrl?: string
  /** Whether the callback arrives as a form: OAuth 2.0 Form Post Response Mode. */
  readonly isFormPost: boolean
  /** Whether the callback holds one signed token with the answer: JWT Secured Authorization Response Mode (JARM). */
  readonly isJwtResponse: boolean
}

export type ResolvedProvider = ResolvedOAuthProvider | EmailConfig | CredentialsConfig | WebAuthnConfig

export function isOAuth(provider: ResolvedProvider): provider is ResolvedOAuthProvider {
  return provider.type === "oauth" || provider.type === "oidc"
}
