import type { Visit } from "../web/visit.js"
import type { AccountName } from "./account-names.js"
import type { Counters } from "./counters.js"
import type { KnownNetworks } from "./known-networks.js"
import type { FindNetwork } from "./networks.js"

/** An attempt to prove who one is that may be a guess. */
export interface Attempt {
  /** Several where it is not known which of them counts. */
  readonly names: readonly AccountName[]
  readonly visit: Visit
  /** Whether enough attempts would find it: a password, a short code. A long random token is not found. */
  readonly isGuessable: boolean
}

/** An attempt that was counted as failed, as long as nothing else is said. */
export interface CountedAttempt {
  succeed(): Promise<void>
}

export interface AttemptsNeeds {
  readonly counters: Counters
  readonly findNetwork: FindNetwork
  readonly knownNetworks: KnownNetworks
}

/**
 * Counts an attempt before it is made, so that many at once are not more than one after the other.
 * @throws TooManyRequests when the network failed too often, or strangers with this account
 */
export async function countAttempt(
  { names, visit, isGuessable }: Attempt,
  { counters, findNetwork, knownNetworks }: AttemptsNeeds,
): Promise<CountedAttempt> {
  const network = findNetwork(visit)
  // The narrowest first: what is refused here takes nothing from what others have a share in.
  const pairs = network === null ? [] : names.map(({ counted }) => ({ network, account: counted }))
  for (const pair of pairs) await counters.admit("failuresPerNetworkAndAccount", pair)
  await counters.admit("failuresPerNetwork", { network })
  const holders = isGuessable ? await Promise.all(names.map((name) => knownNetworks.holderOf(name, network))) : []
  for (const holder of holders) await counters.admit("failuresPerAccount", holder)
  return {
    async succeed() {
      // Of several names one may be somebody else's, written there by whoever signed in.
      const own = names.length === 1 ? names[0] : undefined
      await Promise.all([
        ...pairs.map((pair) => counters[own ? "forget" : "refund"]("failuresPerNetworkAndAccount", pair)),
        // Only its own part is given back: whoever has an account of a name spelt alike could else begin anew all the
        // time.
        ...holders.map((holder) => counters.refund("failuresPerAccount", holder)),
        counters.refund("failuresPerNetwork", { network }),
        own && knownNetworks.remember(own, network),
      ])
    },
  }
}
