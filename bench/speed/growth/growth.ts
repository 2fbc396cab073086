import { performance } from "node:perf_hooks"
import { atMost, type Chart, type Report, type Series, type Verdict } from "../report/report.ts"
import { formatNumber, largest, median } from "../report/statistics.ts"
import { assertResponse, type Measurement, type Subject } from "../scenario.ts"
import type { ContractLibrary } from "../targets/contract.ts"
import { startClock } from "./clock.ts"
import { inRedis } from "./redis-store.ts"
import { inMariadb, inPostgres, inSqlite } from "./sql-stores.ts"
import { type OpenStore, type StoreKind, tokenOf } from "./store.ts"

const sizes = [1, 1_000, 30_000, 1_000_000] as const
/** Rounds of one size, after some to warm up. */
const rounds = 30
const warmUpRounds = 10

/** What is timed, and how often in a round. */
const operations = { read: 10, session: 10, signIn: 4 } as const
type Operation = keyof typeof operations

/** How much longer a check may wait beside `removeExpired` than without it. */
const mostWaitMs = 50

/**
 * How many times longer an operation may take with a million users than with one. More is the store's if reading the same
 * records without us takes as many times longer: an index is a few levels deeper, and not all of it is in memory.
 */
const mostTimes = 1.6

export const growth: Measurement = {
  kind: "measurement",
  id: "growth",
  title: "Growth: a session check and a sign-in in a filling store",
  async measure() {
    const { hasProgram } = await import("@latchkey/testkit/servers")
    const chosen = process.env["GROWTH_STORES"]?.split(",")
    const stores = [inSqlite, inPostgres, inMariadb, inRedis].filter(
      ({ name, programs }) => programs.every(hasProgram) && chosen?.includes(name) !== false,
    )
    const results: StoreResult[] = []
    for (const store of stores) results.push(await measureStore(store))
    return toReport(results)
  },
}

interface Point {
  readonly size: number
  /** Microseconds in the growing database, the median of all rounds. */
  readonly us: Readonly<Record<Operation, number>>
  /** Times the single database's time, the median of all rounds. */
  readonly times: Readonly<Record<Operation, number>>
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

async function measureStore(kind: StoreKind): Promise<StoreResult> {
  const store = await kind.start()
  const [growing, single] = [await store.open("growing"), await store.open("single")]
  try {
    const current = { size: 1 }
    const [many, one] = [await openSide(growing, current), await openSide(single, { size: 1 })]
    await single.fill(1)
    const points: Point[] = []
    for (const size of sizes) {
      await growing.fill(size)
      current.size = size
      points.push({ size, ...(await compare(many, one)) })
    }
    const bytesOfUser = await growing.bytesOfUser()
    return { name: kind.name, points, bytesOfUser, removal: await measureRemoval(growing, many.session) }
  } finally {
    await growing.close()
    await single.close()
    await store.stop()
  }
}

/** The operations on one database. Reads and session checks are of any of its sessions. */
type Side = Readonly<Record<Operation, Subject>>

async function openSide(store: OpenStore, current: { readonly size: number }): Promise<Side> {
  const { Auth, customFetch } = await import("@latchkey/core")
  const { decode, encode, getToken } = await import("@latchkey/core/jwt")
  const { openOidcCallback, openStoredSessions } = await import("../targets/contract.ts")
  const library: ContractLibrary = { Auth, encode, decode, getToken, customFetch }
  const next = () => 1 + Math.floor(Math.random() * current.size)
  return {
    read: { prepare: (count) => Array.from({ length: count }, next), run: (n) => store.read(Number(n)) },
    session: openStoredSessions(library, store.adapter, () => tokenOf(next())),
    signIn: await openOidcCallback(library, store.adapter),
  }
}

/**
 * Both databases are on the same server and take turns: a trip to a server takes twice as long while other work has the
 * processor next to it, which lasts for seconds.
 */
async function compare(growing: Side, single: Side): Promise<Pick<Point, "us" | "times">> {
  const us: Record<Operation, number[]> = { read: [], session: [], signIn: [] }
  const times: Record<Operation, number[]> = { read: [], session: [], signIn: [] }
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const operation of ["read", "session", "signIn"] as const) {
      const isFirst = round % 2 === 0
      const before = isFirst ? await timeOf(growing, operation) : 0
      const singleUs = await timeOf(single, operation)
      const growingUs = isFirst ? before : await timeOf(growing, operation)
      if (round < 0) continue
      us[operation].push(growingUs)
      times[operation].push(growingUs / singleUs)
    }
  }
  return { us: toMedians(us), times: toMedians(times) }
}

function toMedians({
  read,
  session,
  signIn,
}: Readonly<Record<Operation, readonly number[]>>): Record<Operation, number> {
  return { read: median(read), session: median(session), signIn: median(signIn) }
}

async function timeOf(side: Side, operation: Operation): Promise<number> {
  const subject = side[operation]
  const times: number[] = []
  for (const input of await subject.prepare(operations[operation])) {
    const clock = startClock()
    const outcome = await subject.run(input)
    times.push(clock() * 1000)
    assertDone(outcome, subject)
  }
  return median(times)
}

function assertDone(outcome: unknown, subject: Subject): void {
  if (!(outcome instanceof Response)) {
    if (!outcome) throw new Error("A session was not found")
    return
  }
  const location = outcome.headers.get("location")
  if (location?.includes("error=")) throw new Error(location)
  assertResponse(outcome, location === null ? 200 : 302, subject)
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
    for (const input of await session.prepare(1)) assertDone(await session.run(input), session)
    times.push(clock())
  }
  return times
}

const titles = { read: "read", session: "session check", signIn: "OIDC callback" }

function toReport(results: readonly StoreResult[]): Report {
  const all = ["read", "session", "signIn"] as const
  return {
    id: growth.id,
    title: growth.title,
    columns: [
      "store",
      "users, accounts and sessions",
      ...all.flatMap((operation) => [`µs, ${titles[operation]}`, "times one user's"]),
    ],
    rows: results.flatMap(({ name, points }) =>
      points.map(({ size, us, times }) => [
        name,
        size.toLocaleString("en-US"),
        ...all.flatMap((operation) => [formatNumber(us[operation]), formatNumber(times[operation])]),
      ]),
    ),
    verdicts: results.flatMap(toVerdicts),
    notes: [
      `Medians of ${rounds} rounds of ${operations.session} reads and checks of any of the sessions and ${operations.signIn} callbacks of one user, one at a time, without the time that the process waited for a processor. A database with one user on the same server takes turns with the growing one, so that both see the same load. A read is of a session and its user by their keys, with the client alone. The servers run on the same machine, so a trip to one costs no network.`,
      ...results.map(
        ({ name, bytesOfUser }) =>
          `${name}: ${Math.round(bytesOfUser)} bytes for a user with an account and a session, with their indexes.`,
      ),
      ...results.flatMap(({ name, removal }) => (removal ? [describeRemoval(name, removal)] : [])),
    ],
    charts: [
      toChart("growth-session", "A session check against a growing store", results, "session"),
      toChart("growth-sign-in", "An OpenID Connect callback against a growing store", results, "signIn"),
    ],
  }
}

function describeRemoval(name: string, removal: Removal): string {
  const { rows, milliseconds, checks, medianMs, longestMs, longestWithoutMs } = removal
  const seconds = formatNumber(milliseconds / 1000)
  return `${name}: removeExpired deleted ${rows.toLocaleString("en-US")} of ${(rows + 1_000_000).toLocaleString("en-US")} sessions in ${seconds} s; meanwhile ${checks.toLocaleString("en-US")} session checks took ${formatNumber(medianMs)} ms at the median and ${formatNumber(longestMs)} ms at most (${formatNumber(longestWithoutMs)} ms in as long a time without it).`
}

function toVerdicts({ name, points, removal }: StoreResult): readonly Verdict[] {
  const last = points.at(-1)
  if (!last) return []
  const { read, session, signIn } = last.times
  const goal = (what: string) =>
    `${what} with a million users in ${name}: at most ${mostTimes} times as long as with one`
  const verdicts = [
    atMost(Math.max(mostTimes, read), session, {
      goal: `${goal("session check")}, or as many times as a read without us`,
      measured: `${formatNumber(session)} times, the read ${formatNumber(read)} times`,
    }),
    atMost(mostTimes, signIn, { goal: goal("OIDC callback"), measured: `${formatNumber(signIn)} times` }),
  ]
  if (!removal) return verdicts
  const { longestMs, longestWithoutMs } = removal
  const waitGoal = `checks wait at most ${mostWaitMs} ms longer beside removeExpired than without it, with a million sessions in ${name}`
  const measured = `${formatNumber(longestMs)} ms, ${formatNumber(longestWithoutMs)} ms without`
  return [...verdicts, atMost(mostWaitMs, Math.max(0, longestMs - longestWithoutMs), { goal: waitGoal, measured })]
}

function toChart(id: string, title: string, results: readonly StoreResult[], operation: Operation): Chart {
  const series = results.map(
    ({ name, points }): Series => ({ name, points: points.map(({ size, times }) => [size, times[operation]]) }),
  )
  const y = { label: "times as long as with one user" }
  return { id, title, x: { label: "users, accounts and sessions", isLog: true }, y, series }
}
