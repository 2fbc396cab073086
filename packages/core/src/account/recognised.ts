import type { AdapterUser } from "../contract/adapter.js"
import type { User } from "../contract/user.js"

/** Whom a proof turned out to mean. */
export interface Recognised {
  readonly user: User | AdapterUser
  /** Whether the user was created just now; undefined where no store could tell. */
  readonly isNewUser: boolean | undefined
  /** Whether the person was signed in as this user already. */
  readonly isSignedInAlready: boolean
  /** True when an account or a passkey was added just now, which is the user's from here on. */
  readonly isAccountAdded?: boolean
}
