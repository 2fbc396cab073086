import type { Clock } from "../contract/clock.js"
import type { OidcCheck } from "../contract/oauth-provider.js"
import type { Sealer } from "../crypto/sealer.js"
import type { FlowCookieOptions } from "./flow-cookies.js"
import type { SpentFlows } from "./spent-flows.js"

/** What of a provider decides how its flows are protected. */
export interface FlowProvider {
  readonly id: string
  readonly checks: readonly OidcCheck[]
  readonly isFormPost: boolean
}

/** What beginning and resuming flows need. */
export interface FlowNeeds {
  readonly cookies: FlowCookieOptions
  readonly sealer: Sealer
  readonly spent: SpentFlows
  readonly clock: Clock
  /** How long a person may take at the provider. */
  readonly ttlSeconds: number
  /** How many a browser may have under way. Default: that of `requestLimits`. */
  readonly maxFlows?: number
}

/** Purpose of the sealed value that travels through the provider as `state`. */
export const statePurpose = "encodedState"
