/** How a provider proves who somebody is. */
export type ProviderType = "oidc" | "oauth" | "email" | "credentials" | "webauthn"

/** What every provider has. */
export interface CommonProvider {
  /** Unique among the configured providers; part of URLs. */
  readonly id: string
  /** Shown on the sign-in button. */
  readonly name: string
  readonly type: ProviderType
}
