import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Auth, type AuthConfig, customFetch } from "@latchkey/core"
import { accessTokens, getAccessToken } from "@latchkey/core/access-tokens"
import type { Adapter, TokenStore } from "@latchkey/core/adapters"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { RedisAdapter, RedisTokenStore } from "@latchkey/redis-adapter"
import { createBrowser, fakeIdentityProvider } from "@latchkey/testkit"
import { hasProgram, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { origin, secret } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"

/** How much longer a call may take than its one read. */
const goal = 1.3
/** The same with a token store: all tokens of the account are one text, which is decrypted by each call. */
const storeGoal = 2.2
/** Until the functions are compiled. */
const warmUpRounds = 1000
const rounds = 2000

export const accessToken: Measurement = {
  kind: "measurement",
  id: "access-token",
  title: "getAccessToken with a token that lives long enough",
  async measure(effort) {
    const results: Result[] = await measureSqlite(effort)
    if (hasProgram("postgres")) results.push(await measurePostgres(effort))
    if (hasProgram("redis-server")) results.push(...(await measureRedis(effort)))
    return toReport(results)
  },
}

interface Result {
  readonly store: string
  /** Milliseconds. */
  readonly call: number
  /** Milliseconds. Null: a call reads nothing. */
  readonly read: number | null
  /** Times the read. Null: none. */
  readonly goal: number | null
}

function toReport(results: readonly Result[]): Report {
  return {
    id: accessToken.id,
    title: accessToken.title,
    columns: ["microseconds", "getAccessToken", "its read alone", "times"],
    rows: results.map(({ store, call, read }) => [
      store,
      formatNumber(call * 1000),
      read === null ? "–" : formatNumber(read * 1000),
      read === null ? "–" : formatNumber(call / read),
    ]),
    verdicts: results.flatMap(({ store, goal, call, read }) => {
      if (goal === null || read === null) return []
      const words = { goal: `at most ${goal} times its one read, ${store}`, measured: formatNumber(call / read) }
      return [atMost(goal, call / read, words)]
    }),
    notes: [
      "A stateless session and one linked account, whose three tokens are sealed. It is always the same session and account: the process remembers what both texts decrypt to, as it does for each user who comes back with the same cookie. The first call decrypts both.",
      "Single calls and reads, each timed alone, in the order call, read, read, call: each follows its own kind as often as the other. Wall time, medians. The servers run on this machine. A file of SQLite is read in this process, where the session takes as long as the read, so that it has no goal. A process remembers no refresh tokens in clear: the tokens in a cookie or a token store, which are one text, are decrypted by each call.",
      "That a call makes exactly this read is checked before: none at all if cookies keep the tokens, and one of the token store and none of the adapter if a token store does.",
    ],
  }
}

/** Where an app keeps its tokens. */
interface Keeping {
  readonly store: string
  readonly goal: number | null
  readonly adapter: Adapter
  /** Default: the rows of linked accounts. */
  readonly keep?: "cookie" | TokenStore
}

interface StoreCall {
  readonly name: string
  readonly values: readonly unknown[]
  /** The same call again, past the wrapper. */
  readonly repeat: () => unknown
}

async function measureKeeping({ store, goal, adapter, keep }: Keeping, effort: Effort): Promise<Result> {
  const idp = fakeIdentityProvider()
  const calls: StoreCall[] = []
  const config: AuthConfig = {
    adapter: recording(adapter, calls),
    secret,
    trustHost: true,
    rateLimit: false,
    session: { strategy: "jwt" },
    accessTokens: accessTokens({ ...(keep && { keep: keep === "cookie" ? keep : recording(keep, calls) }) }),
    providers: [idp.provider({ [customFetch]: idp.fetch })],
  }
  const network = { [idp.origin]: idp.handler }
  const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
  await browser.signIn("oidc")
  const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  const request = new Request(origin, { headers: { cookie: cookie.join("; ") } })
  const ask = () => getAccessToken(request, config, { provider: "oidc" })
  calls.length = 0
  assert.ok((await ask()).accessToken)
  const expected = keep === undefined ? ["listAccountsByUserId"] : keep === "cookie" ? [] : ["get"]
  assert.deepEqual(
    calls.map(({ name }) => name),
    expected,
  )
  const [made] = calls
  const read = made && (async () => made.repeat())
  assert.notDeepEqual(await read?.(), [])
  assert.notEqual(await read?.(), null)
  return { store, goal, ...(await measureInTurns(ask, read, effort)) }
}

async function measureInTurns(
  ask: () => Promise<unknown>,
  read: (() => Promise<unknown>) | undefined,
  { isShort }: Effort,
): Promise<Pick<Result, "call" | "read">> {
  const call: number[] = []
  const alone: number[] = []
  const order: readonly (readonly [number[], () => Promise<unknown>])[] = read
    ? [
        [call, ask],
        [alone, read],
        [alone, read],
        [call, ask],
      ]
    : [[call, ask]]
  const total = warmUpRounds + (isShort ? rounds / 4 : rounds)
  for (let round = 0; round < total; round++) {
    for (const [times, work] of order) {
      const milliseconds = await time(work)
      if (round >= warmUpRounds) times.push(milliseconds)
    }
  }
  return { call: median(call), read: read ? median(alone) : null }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The store, which notes the calls of its methods. */
function recording<Store extends object>(store: Store, calls: StoreCall[]): Store {
  const entries = Object.entries(store).map(([name, method]) => [
    name,
    typeof method !== "function"
      ? method
      : (...values: readonly unknown[]) => {
          // Rounds of measuring would fill the memory.
          if (calls.length < maxCalls) calls.push({ name, values, repeat: () => method(...values) })
          return method(...values)
        },
  ])
  // as: has the same methods.
  return Object.fromEntries(entries) as Store
}

const maxCalls = 100

async function measureSqlite(effort: Effort): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const rows = sqlite(join(folder, "rows.db"))
  const adapter = sqlite(join(folder, "app.db"))
  try {
    return [
      await measureKeeping({ store: "SQLite", goal: null, adapter: rows }, effort),
      await measureKeeping({ store: "cookies", goal: null, adapter, keep: "cookie" }, effort),
    ]
  } finally {
    rows.close()
    adapter.close()
    rmSync(folder, { recursive: true })
  }
}

async function measurePostgres(effort: Effort): Promise<Result> {
  const server = await startPostgres()
  const adapter = postgres(server.url)
  try {
    await adapter.migrate()
    return await measureKeeping({ store: "PostgreSQL", goal, adapter }, effort)
  } finally {
    await adapter.close()
    await server.stop()
  }
}

async function measureRedis(effort: Effort): Promise<Result[]> {
  const server = await startRedis()
  const client = new Redis(server.url)
  const adapterOf = (prefix: string) => RedisAdapter(client, { prefix })
  const keep = RedisTokenStore(client)
  try {
    return [
      await measureKeeping({ store: "Redis", goal, adapter: adapterOf("rows") }, effort),
      await measureKeeping({ store: "RedisTokenStore", goal: storeGoal, adapter: adapterOf("app"), keep }, effort),
    ]
  } finally {
    client.disconnect()
    await server.stop()
  }
}
