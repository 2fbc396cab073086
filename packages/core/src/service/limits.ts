import { resolveRateLimit } from "../config/rate-limit.js"
import type { ResolvedConfig } from "../config/resolved-config.js"
import { createCounters } from "../limits/counters.js"
import { dependableStore } from "../limits/dependable-store.js"
import { createKnownNetworks } from "../limits/known-networks.js"
import { createLimits, type Limits, unlimited } from "../limits/limits.js"
import { memoryStore } from "../limits/memory-store.js"
import { createFindNetwork } from "../limits/networks.js"
import type { Log } from "../log/log.js"
import { parseIpRange } from "../web/ip-address.js"
import { systemClock } from "./system-clock.js"

/**
 * Shared by all configurations, so that one that is made anew for each request does not forget. Secrets keep them
 * apart.
 */
const local = memoryStore(systemClock)

/** The one place where it is decided whether anything is counted, and where. */
export function chooseLimits(config: ResolvedConfig, log: Log): Limits {
  const rateLimit = resolveRateLimit(config)
  if (!rateLimit) return unlimited
  const { store: shared, whenStoreFails, budgets, accountOf } = rateLimit
  const store = shared ? dependableStore(shared, { local, whenStoreFails, clock: systemClock, log }) : local
  const [secret = ""] = config.secrets
  const counters = createCounters({ store, budgets, secret })
  const trustedProxies = config.trustedProxies.flatMap((text) => parseIpRange(text) ?? [])
  const findNetwork = createFindNetwork({ ...config, trustedProxies, log })
  return createLimits({ counters, findNetwork, knownNetworks: createKnownNetworks(counters), accountOf, log })
}
