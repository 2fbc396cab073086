import type { CredentialsConfig } from "./credentials-provider.js"
import type { EmailConfig } from "./email-provider.js"
import type { OAuth2Config, OIDCConfig } from "./oauth-provider.js"
import type { WebAuthnConfig } from "./webauthn-provider.js"

export type * from "@latchkey/types"

/**
 * A provider as a host lists it. `never` stands for the profile, which only the provider's own callback understands.
 */
export type ProviderConfig = OAuth2Config<never> | OIDCConfig<never> | EmailConfig | CredentialsConfig | WebAuthnConfig

/** A provider, or a factory that is called with what the environment says. */
export type Provider = ProviderConfig | ((options: never) => ProviderConfig)
