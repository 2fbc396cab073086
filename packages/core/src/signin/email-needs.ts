import type { CallbackUrls } from "../checks/callback-url.js"
import type { Clock } from "../contract/clock.js"
import type { Theme } from "../contract/theme.js"
import type { Permission } from "../host/permission.js"
import type { Store } from "../host/store.js"
import type { Limits } from "../limits/limits.js"
import type { Visit } from "../web/visit.js"

/** What signing in by email is made of. */
export interface EmailNeeds {
  readonly store: Store
  readonly permission: Permission
  readonly callbackUrls: CallbackUrls
  readonly limits: Pick<Limits, "allowMail" | "tryToken">
  readonly secrets: readonly string[]
  readonly theme: Theme
  readonly clock: Clock
  /** Address of an action below the base path. */
  readonly actionUrl: (visit: Visit, path: string) => string
}
