import { createSpentFlows, createStoredSpentFlows, type SpentFlows } from "../checks/spent-flows.js"
import { checkMaxAgeSeconds } from "../config/cookies.js"
import type { Store } from "../host/store.js"
import { systemClock } from "./system-clock.js"

/** Shared by all configurations, so that one that is made anew for each request does not forget. */
const spentHere = createSpentFlows(systemClock, checkMaxAgeSeconds)

/** In the store where it can: other processes, which a balancer may send a copied callback to, know of it then. */
export function chooseSpentFlows(store: Store | null): SpentFlows {
  if (!store?.has("consumeOnce")) return spentHere
  const consumeOnce = (id: string, expires: Date) => store.consumeOnce(id, expires)
  return createStoredSpentFlows({ consumeOnce }, systemClock, checkMaxAgeSeconds)
}
