import type { ProviderType } from "./common-provider.js"
import type { CredentialsConfig } from "./credentials-provider.js"
import type { EmailConfig } from "./email-provider.js"
import type { OAuth2Config, OIDCConfig } from "./oauth-provider.js"
import type { WebAuthnConfig } from "./webauthn-provider.js"

/**
 * A provider as a host lists it. `never` stands for the profile, which only the provider's own callback understands.
 */
export type ProviderConfig = OAuth2Config<never> | OIDCConfig<never> | EmailConfig | CredentialsConfig | WebAuthnConfig

/** A provider, or a factory that is called with what the environment says. */
export type Provider = ProviderConfig | ((options: never) => ProviderConfig)

/** What a client may know of a provider. */
export interface PublicProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly signinUrl: string
  readonly callbackUrl: string
}
