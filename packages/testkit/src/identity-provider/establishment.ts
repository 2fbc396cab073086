import type { RegisteredClient } from "./client.js"
import type { ApplyFaults } from "./faults/switches.js"
import type { Grants } from "./grants.js"
import type { Incoming } from "./incoming.js"
import type { KeyRing } from "./keys.js"
import type { Person } from "./person.js"
import type { PushedRequests } from "./pushed-requests.js"

/** What the endpoints of one identity provider share. */
export interface Establishment {
  readonly issuer: string
  readonly clients: readonly RegisteredClient[]
  readonly keys: KeyRing
  readonly grants: Grants
  readonly pushed: PushedRequests
  /** Added to the discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly apply: ApplyFaults
  /** Who is in front of the provider now. Null: nobody agrees to sign in. */
  readonly person: () => Person | null
}

/** Answers requests at one endpoint. */
export type EndpointAnswer = (incoming: Incoming, establishment: Establishment) => Promise<Response>
