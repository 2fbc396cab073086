import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import type { ProviderEndpoints, ProviderServer } from "./endpoints.js"

/** Whose token it is, and where its keys are found. */
export interface IdTokenContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly endpoints: ProviderEndpoints
}
