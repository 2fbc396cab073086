import type { MailFlows } from "../../checks/mail-flow.js"
import type { ReplayGuard } from "../../checks/replay.js"
import type { Store } from "../../host/store.js"
import type { MethodDeps } from "../method.js"

/** The collaborators of the email steps. */
export interface EmailDeps extends MethodDeps {
  readonly store: Store
  readonly flows: MailFlows
  /** Counts the guesses at codes. */
  readonly guesses: ReplayGuard
}
