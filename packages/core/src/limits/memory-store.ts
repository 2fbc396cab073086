import type { Clock } from "../contract/clock.js"
import type { RateLimitCount, RateLimitStore } from "../contract/rate-limit.js"

interface Counter {
  used: number
  readonly endsAtMs: number
}

/** How many counters are looked at when room is made. */
const sampleSize = 16

/**
 * Counters in this process, `capacity` of each budget at the most: what floods one budget with new keys does not push
 * out the counters of another.
 */
export function memoryStore(clock: Clock, capacity = 20_000): RateLimitStore {
  const budgets = new Map<string, Map<string, Counter>>()

  function countersOf(key: string): Map<string, Counter> {
    const budget = key.slice(0, key.indexOf(":"))
    const counters = budgets.get(budget) ?? new Map<string, Counter>()
    budgets.set(budget, counters)
    return counters
  }

  function find(key: string): Counter | undefined {
    const counter = countersOf(key).get(key)
    return counter && counter.endsAtMs > clock() ? counter : undefined
  }

  function begin(key: string, windowSeconds: number): Counter {
    const counters = countersOf(key)
    counters.delete(key)
    if (counters.size >= capacity) makeRoom(counters, clock())
    const counter = { used: 0, endsAtMs: clock() + windowSeconds * 1000 }
    counters.set(key, counter)
    return counter
  }

  return {
    consume(key, windowSeconds): RateLimitCount {
      const counter = find(key) ?? begin(key, windowSeconds)
      counter.used += 1
      return { used: counter.used, msLeft: counter.endsAtMs - clock() }
    },
    refund(key) {
      const counter = find(key)
      if (counter && counter.used > 0) counter.used -= 1
    },
    has: (key) => find(key) !== undefined,
    forget: (key) => countersOf(key).delete(key),
  }
}

type Entry = readonly [key: string, counter: Counter]

/**
 * Forgets what is over, else the least used of the oldest. The others go to the back of the queue, so that a counter
 * that is nearly full does not make room for keys that somebody made up.
 */
function makeRoom(counters: Map<string, Counter>, nowMs: number): void {
  const oldest = takeOldest(counters)
  const alive = oldest.filter(([, { endsAtMs }]) => endsAtMs > nowMs)
  const leastUsed = alive.length < oldest.length ? undefined : alive.reduce(lessUsed)
  for (const [key] of oldest) counters.delete(key)
  for (const entry of alive) if (entry !== leastUsed) counters.set(...entry)
}

function takeOldest(counters: ReadonlyMap<string, Counter>): readonly Entry[] {
  const oldest: Entry[] = []
  for (const entry of counters) {
    oldest.push(entry)
    if (oldest.length === sampleSize) break
  }
  return oldest
}

/** Of two equal ones the older. */
function lessUsed(one: Entry, other: Entry): Entry {
  return other[1].used < one[1].used ? other : one
}
