import type { AccountName } from "./account-names.js"
import type { Counters, Holder } from "./counters.js"

const mark = "knownNetworks"
const ttlSeconds = 90 * 24 * 60 * 60

/**
 * Remembers from which networks an account signed in. What strangers spend of an account's budget is not taken from
 * them, so that nobody can lock somebody else out from where they usually are.
 */
export interface KnownNetworks {
  /** Whose budget it is when this network does something with this account. */
  holderOf(name: AccountName, network: string | null): Promise<Holder>
  remember(name: AccountName, network: string | null): Promise<void>
}

export function createKnownNetworks(counters: Counters): KnownNetworks {
  return {
    async holderOf({ counted, exact }, network) {
      const isKnown = network !== null && (await counters.isMarked(mark, { account: exact, network }))
      return isKnown ? { account: counted, network } : { account: counted }
    },
    async remember({ exact }, network) {
      if (network === null || (await counters.isMarked(mark, { account: exact, network }))) return
      await counters.mark(mark, { account: exact, network }, ttlSeconds)
    },
  }
}
