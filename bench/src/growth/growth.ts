import { performance } from "node:perf_hooks"
import { user } from "../fixtures/host.ts"
import { atMost, type Chart, type Report, type Series, type Verdict } from "../report/report.ts"
import { formatNumber, largest, median } from "../report/statistics.ts"
import type { Measurement, Subject } from "../scenario.ts"
import type { ContractLibrary } from "../targets/contract.ts"
import { startClock } from "./clock.ts"
import { type GrowingStore, growingStores, type OpenStore } from "./stores.ts"

const sizes = [1, 1_000, 30_000, 1_000_000] as const
/** Operations of one size, after as many to warm up. */
const operations = 150

/** How long a check may wait for a batch of `removeExpired`. */
const mostWaitMs = 50

/** How many times longer an operation may take with a million rows than with one. An index is a few levels deeper. */
const mostTimes = 1.6

export const growth: Measurement = {
  kind: "measurement",
  id: "growth",
  title: "Growth: a session check and a sign-in in a filling store",
  async measure() {
    const { hasProgram } = await import("@latchkey/testkit/servers")
    const stores = growingStores.filter(({ programs }) => programs.every(hasProgram))
    const results: StoreResult[] = []
    for (const store of stores) results.push(await measureStore(store))
    return toReport(results)
  },
}

/** Microseconds, the median of all operations. */
interface Point {
  readonly size: number
  readonly sessionUs: number
  readonly signInUs: number
}

interface StoreResult {
  readonly name: string
  readonly points: readonly Point[]
  readonly bytesOfUser: number
  readonly removal: Removal | null
}

/** A run of `removeExpired` beside a million sessions, while another connection checks sessions. */
interface Removal {
  readonly rows: number
  readonly milliseconds: number
  readonly checks: number
  readonly medianMs: number
  readonly longestMs: number
  /** The longest of checks for as long without a removal: what the machine itself does. */
  readonly longestWithoutMs: number
}

async function measureStore(store: GrowingStore): Promise<StoreResult> {
  const { Auth, customFetch } = await import("@latchkey/core")
  const { decode, encode, getToken } = await import("@latchkey/core/jwt")
  const { openOidcCallback, openStoredSession } = await import("../targets/contract.ts")
  const library: ContractLibrary = { Auth, encode, decode, getToken, customFetch }
  const open = await store.open()
  try {
    const owner = { ...user, id: "owner", email: "owner@example.test" }
    const session = await openStoredSession(library, open.adapter, owner)
    const signIn = await openOidcCallback(library, open.adapter)
    const points: Point[] = []
    for (const size of sizes) {
      await open.fill(size)
      points.push({ size, sessionUs: await timeOf(session), signInUs: await timeOf(signIn) })
    }
    const bytesOfUser = await open.bytesOfUser()
    return { name: store.name, points, bytesOfUser, removal: await measureRemoval(open, session) }
  } finally {
    await open.close()
  }
}

async function timeOf(subject: Subject): Promise<number> {
  const times: number[] = []
  for (const input of await subject.prepare(2 * operations)) {
    const clock = startClock()
    const response = await subject.run(input)
    times.push(clock() * 1000)
    assertAnswered(response)
  }
  return median(times.slice(operations))
}

function assertAnswered(response: unknown): void {
  if (!(response instanceof Response)) throw new Error("Expected a Response")
  const location = response.headers.get("location") ?? ""
  if (response.status >= 400 || location.includes("error=")) throw new Error(`${response.status} ${location}`)
}

async function measureRemoval(
  { adapter, addExpired, expiredRows }: OpenStore,
  session: Subject,
): Promise<Removal | null> {
  if (!adapter.removeExpired) return null
  await addExpired(expiredRows)
  const startedAt = performance.now()
  const progress = { isDone: false }
  const removing = Promise.resolve(adapter.removeExpired()).finally(() => {
    progress.isDone = true
  })
  const times = await checkUntil(session, () => progress.isDone)
  const rows = await removing
  const milliseconds = performance.now() - startedAt
  const endsAt = performance.now() + milliseconds
  const without = await checkUntil(session, () => performance.now() > endsAt)
  return {
    rows,
    milliseconds,
    checks: times.length,
    medianMs: median(times),
    longestMs: largest(times),
    longestWithoutMs: largest(without),
  }
}

/** As a host would: each check begins in a turn of the event loop of its own. Returns the milliseconds of each. */
async function checkUntil(session: Subject, isDone: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  while (!isDone()) {
    const clock = startClock()
    await new Promise(setImmediate)
    for (const input of await session.prepare(1)) assertAnswered(await session.run(input))
    times.push(clock())
  }
  return times
}

function toReport(results: readonly StoreResult[]): Report {
  return {
    id: growth.id,
    title: growth.title,
    columns: ["store", "users, accounts and sessions", "µs, session check", "µs, OIDC callback"],
    rows: results.flatMap(({ name, points }) =>
      points.map(({ size, sessionUs, signInUs }) => [
        name,
        size.toLocaleString("en-US"),
        formatNumber(sessionUs),
        formatNumber(signInUs),
      ]),
    ),
    verdicts: results.flatMap(toVerdicts),
    notes: [
      `Medians of ${operations} operations, one at a time, through Auth(), without the time that the process waited for a processor. The servers run on the same machine, so a trip to one costs no network.`,
      ...results.map(
        ({ name, bytesOfUser }) =>
          `${name}: ${Math.round(bytesOfUser)} bytes for a user with an account and a session, with their indexes.`,
      ),
      ...results.flatMap(({ name, removal }) => (removal ? [describeRemoval(name, removal)] : [])),
    ],
    charts: [
      toChart("growth-session", "A session check against a growing store", results, ({ sessionUs }) => sessionUs),
      toChart(
        "growth-sign-in",
        "An OpenID Connect callback against a growing store",
        results,
        ({ signInUs }) => signInUs,
      ),
    ],
  }
}

function describeRemoval(name: string, removal: Removal): string {
  const { rows, milliseconds, checks, medianMs, longestMs, longestWithoutMs } = removal
  const seconds = formatNumber(milliseconds / 1000)
  return `${name}: removeExpired deleted ${rows.toLocaleString("en-US")} of ${(rows + 1_000_000).toLocaleString("en-US")} sessions in ${seconds} s; meanwhile ${checks.toLocaleString("en-US")} session checks took ${formatNumber(medianMs)} ms at the median and ${formatNumber(longestMs)} ms at most (${formatNumber(longestWithoutMs)} ms in as long a time without it).`
}

function toVerdicts({ name, points, removal }: StoreResult): readonly Verdict[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  const compare = (what: string, times: number) =>
    atMost(mostTimes, times, {
      goal: `${what} with a million users in ${name}: at most ${mostTimes} times as long as with one`,
      measured: `${formatNumber(times)} times`,
    })
  const verdicts = [
    compare("session check", last.sessionUs / first.sessionUs),
    compare("OIDC callback", last.signInUs / first.signInUs),
  ]
  if (!removal) return verdicts
  const goal = `checks wait at most ${mostWaitMs} ms for removeExpired beside a million sessions in ${name}`
  return [
    ...verdicts,
    atMost(mostWaitMs, removal.longestMs, { goal, measured: `${formatNumber(removal.longestMs)} ms` }),
  ]
}

function toChart(id: string, title: string, results: readonly StoreResult[], read: (point: Point) => number): Chart {
  const series = results.map(
    ({ name, points }): Series => ({ name, points: points.map((point) => [point.size, read(point)]) }),
  )
  return { id, title, x: { label: "users, accounts and sessions", isLog: true }, y: { label: "µs" }, series }
}
