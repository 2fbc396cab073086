import type { Store } from "../host/store.js"
import type { AdapterAccount } from "../types/adapter.js"
import type { TokenKeeping } from "../types/config.js"

/** How the tokens of linked accounts are stored. `keepTokens()` creates it. */
export interface TokenStorage extends TokenKeeping {
  open(store: Store, secrets: readonly string[]): AccountTokens
}

/** The tokens in the rows of linked accounts. */
export interface AccountTokens {
  /** The row of a new account, with its tokens as they are stored. */
  seal(account: AdapterAccount): Promise<AdapterAccount>
  /** Writes the tokens of another sign-in with a linked account. What the provider left out stays as it is. */
  renew(account: AdapterAccount): Promise<void>
}
