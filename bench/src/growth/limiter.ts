import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createRequests, origin, secret } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median } from "../report/statistics.ts"
import type { Measurement } from "../scenario.ts"
import { startClock } from "./clock.ts"

const sizes = [1_000, 30_000, 1_000_000] as const
/** Requests that are timed together at each size. */
const batch = 200
const timedBatches = 25

/** The store is full from 20,000 counters on; growth from there is growth with the keys. */
const mostTimes = 1.3
const mostBytes = 12_000_000

export const limiter: Measurement = {
  kind: "measurement",
  id: "limiter",
  title: "Rate limiter in memory: sign-outs from ever more addresses",
  async measure() {
    const send = await openSignOut()
    await send(5 * batch)
    const emptyBytes = readHeap()
    const points: Point[] = []
    let sent = 0
    for (const size of sizes) {
      for (; sent < size - timedBatches * batch; sent += batch) await send(batch)
      const times: number[] = []
      for (let n = 0; n < timedBatches && sent < size; n++, sent += batch) times.push(await send(batch))
      points.push({ size, microseconds: median(times), bytes: readHeap() - emptyBytes })
    }
    return toReport(points)
  },
}

interface Point {
  readonly size: number
  readonly microseconds: number
  readonly bytes: number
}

/** Returns a function that sends requests from so many new addresses, and tells the microseconds of each. */
async function openSignOut(): Promise<(count: number) => Promise<number>> {
  const { Auth } = await import("@latchkey/core")
  const { readCsrfPair, toFormPost } = await import("../targets/contract.ts")
  const client = { address: "" }
  let next = 0
  const config = {
    providers: [],
    secret,
    trustHost: true,
    clientAddress: () => client.address,
    // So long that no counter ends during the run.
    rateLimit: { budgets: { signOut: { limit: 60, windowSeconds: 86_400 } } },
  }
  const init = toFormPost(await readCsrfPair({ Auth }, config))
  return async (count) => {
    const requests = createRequests(count, `${origin}/auth/signout`, init)
    const clock = startClock()
    for (const request of requests) {
      client.address = [10 + (next >> 24), (next >> 16) & 255, (next >> 8) & 255, next & 255].join(".")
      next += 1
      const { status } = await Auth(request, config)
      if (status !== 302) throw new Error(`A sign-out was answered with ${status}`)
    }
    return (clock() * 1000) / count
  }
}

/** Bytes in use after a full garbage collection. */
function readHeap(): number {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  for (let time = 0; time < 3; time += 1) collect()
  return process.memoryUsage().heapUsed
}

function toReport(points: readonly Point[]): Report {
  const [, full, last] = points
  if (!(full && last)) throw new Error("Nothing was measured")
  const times = last.microseconds / full.microseconds
  return {
    id: limiter.id,
    title: limiter.title,
    columns: ["addresses", "µs, sign-out", "MB"],
    rows: points.map(({ size, microseconds, bytes }) => [
      size.toLocaleString("en-US"),
      formatNumber(microseconds),
      (bytes / 1e6).toFixed(1),
    ]),
    verdicts: [
      atMost(mostTimes, times, {
        goal: `a request from the millionth address: at most ${mostTimes} times as long as from the 30,000th`,
        measured: `${formatNumber(times)} times`,
      }),
      atMost(mostBytes, last.bytes, {
        goal: `at most ${mostBytes / 1e6} MB after a million addresses`,
        measured: `${(last.bytes / 1e6).toFixed(1)} MB`,
      }),
    ],
    notes: [
      "Each request comes from a new address, and counts in one budget, which keeps 20,000 counters. Heap after a full garbage collection, without the heap before; below zero when other memory of the process was freed meanwhile.",
    ],
    charts: [
      {
        id: "growth-limiter",
        title: "A sign-out that is counted, by addresses seen",
        x: { label: "addresses", isLog: true },
        y: { label: "µs" },
        series: [{ name: "memory", points: points.map(({ size, microseconds }) => [size, microseconds]) }],
      },
    ],
  }
}
