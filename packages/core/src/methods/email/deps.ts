import type { MailFlows } from "../../checks/mail-flow.js"
import type { ReplayGuard } from "../../checks/replay.js"
import type { Store } from "../../host/store.js"
import { defaultMaxAgeSeconds } from "../../mail/deliver.js"
import type { EmailConfig } from "../../types/providers.js"
import type { MethodDeps } from "../method.js"

/** The collaborators of the email steps. */
export interface EmailDeps extends MethodDeps {
  readonly store: Store
  readonly flows: MailFlows
  /** Counts the guesses at codes. */
  readonly guesses: ReplayGuard
}

/** How long a link works, in seconds. */
export function maxAgeOf({ maxAge = defaultMaxAgeSeconds }: EmailConfig): number {
  return maxAge
}
