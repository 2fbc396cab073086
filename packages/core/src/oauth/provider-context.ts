import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import type { ProviderEndpoints, ProviderServer } from "./endpoints.js"

/** A provider that answered, and how its endpoints and keys are found. */
export interface ProviderContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly endpoints: ProviderEndpoints
}
