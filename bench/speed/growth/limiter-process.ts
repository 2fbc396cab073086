// Counts sign-outs from ever more addresses, and prints the points as JSON. Needs --expose-gc.
import { Auth } from "@latchkey/core"
import { createRequests, origin, secret } from "../fixtures/host.ts"
import { readHeap } from "../own-process.ts"
import { median } from "../report/statistics.ts"
import { readCsrfPair, toFormPost } from "../targets/contract.ts"
import { startClock } from "./clock.ts"
import { type LimiterPoint, limiterSizes } from "./limiter.ts"

/** Requests that are timed together. */
const batch = 200
const timedBatches = 25
/** All from one address: one counter, and functions that V8 has compiled. */
const warmUpBatches = 100

const client = { address: "127.0.0.1" }
const config = {
  providers: [],
  secret,
  trustHost: true,
  clientAddress: () => client.address,
  // So long that no counter ends during the run, and so high that the first requests are not refused.
  rateLimit: { budgets: { signOut: { limit: 1_000_000, windowSeconds: 86_400 } } },
}
const init = toFormPost(await readCsrfPair({ Auth }, config))

/** Sends a batch of requests, each from the next address, and returns the microseconds of each. */
async function send(nextAddress: () => string): Promise<number> {
  const requests = createRequests(batch, `${origin}/auth/signout`, init)
  const clock = startClock()
  for (const request of requests) {
    client.address = nextAddress()
    const { status } = await Auth(request, config)
    if (status !== 302) throw new Error(`A sign-out was answered with ${status}`)
  }
  return (clock() * 1000) / batch
}

for (let n = 0; n < warmUpBatches; n++) await send(() => "127.0.0.1")
const emptyBytes = readHeap()
let seen = 0
function nextNew(): string {
  seen += 1
  return [10 + (seen >> 24), (seen >> 16) & 255, (seen >> 8) & 255, seen & 255].join(".")
}
const points: LimiterPoint[] = []
for (const size of limiterSizes) {
  while (seen < size - timedBatches * batch) await send(nextNew)
  const times: number[] = []
  while (seen < size) times.push(await send(nextNew))
  points.push({ size, microseconds: median(times), bytes: readHeap() - emptyBytes })
}
console.log(JSON.stringify(points))
