import type { ChallengeNeeds } from "../../checks/challenge.js"
import type { WebAuthnConfig, WebAuthnContext } from "../../contract/webauthn-provider.js"
import type { Store } from "../../host/store.js"
import type { Sessions } from "../../session/sessions.js"
import type { Visit } from "../../web/visit.js"
import type { WebAuthnLibrary } from "./library.js"

/** What passkey ceremonies need. */
export interface WebAuthnNeeds {
  readonly store: Store
  readonly sessions: Pick<Sessions, "findUser">
  readonly challenges: ChallengeNeeds
  readonly secrets: readonly string[]
  readonly library: () => Promise<WebAuthnLibrary>
  /** Address of the page on which the form stands. */
  readonly signInPage: (visit: Visit) => string
}

export function toContext(
  visit: Visit,
  provider: WebAuthnConfig,
  { store }: Pick<WebAuthnNeeds, "store">,
): WebAuthnContext {
  return { provider, adapter: store, url: new URL(visit.url) }
}
