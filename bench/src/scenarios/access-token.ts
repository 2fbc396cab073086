import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Auth, type AuthConfig, customFetch } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { getAccessToken, keepTokens } from "@latchkey/core/tokens"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { createBrowser, fakeIdentityProvider } from "@latchkey/testkit"
import { hasProgram, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { origin, secret } from "../fixtures/host.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"

/** How much longer a call may take than its one read. */
const goal = 1.3
/** On one machine, where a server answers within 0.1 ms. The rest is decrypting the session and the token. */
const usual = 1.75
const rounds = 2000

export const accessToken: Measurement = {
  kind: "measurement",
  id: "access-token",
  title: "getAccessToken with a token that lives long enough",
  async measure(effort) {
    const results: Result[] = [await measureSqlite(effort)]
    if (hasProgram("postgres")) results.push(await measurePostgres(effort))
    if (hasProgram("redis-server")) results.push(await measureRedis(effort))
    return toReport(results)
  },
}

interface Result {
  readonly store: string
  /** Milliseconds. */
  readonly call: number
  readonly read: number
  /** Whether the store is another process. */
  readonly isServer: boolean
}

function toReport(results: readonly Result[]): Report {
  return {
    id: accessToken.id,
    title: accessToken.title,
    columns: ["microseconds", "getAccessToken", "its read alone", "times"],
    rows: results.map(({ store, call, read }) => [
      store,
      formatNumber(call * 1000),
      formatNumber(read * 1000),
      formatNumber(call / read),
    ]),
    verdicts: results
      .filter(({ isServer }) => isServer)
      .map(({ store, call, read }) =>
        atMost(
          goal,
          call / read,
          { goal: `at most ${goal} times its one read, ${store}`, measured: formatNumber(call / read) },
          usual,
        ),
      ),
    notes: [
      "A stateless session and one linked account, whose three tokens are sealed. The call and the read alone take turns. The servers run on this machine; a file of SQLite is read in this process, where decrypting the session and the token takes longer than the read.",
    ],
  }
}

async function measureStore(
  store: string,
  adapter: Adapter,
  { isServer, effort }: { isServer: boolean; effort: Effort },
): Promise<Result> {
  const idp = fakeIdentityProvider()
  const calls: string[] = []
  const config: AuthConfig = {
    adapter: counting(adapter, calls),
    secret,
    trustHost: true,
    rateLimit: false,
    session: { strategy: "jwt" },
    tokens: keepTokens(),
    providers: [idp.provider({ [customFetch]: idp.fetch })],
  }
  const network = { [idp.origin]: idp.handler }
  const browser = createBrowser({ handler: (request) => Auth(request, config), origin, basePath: "/auth", network })
  await browser.signIn("oidc")
  const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  const request = new Request(origin, { headers: { cookie: cookie.join("; ") } })
  const user = await adapter.getUserByEmail?.("ada@example.com")
  const ask = () => getAccessToken(request, config, { provider: "oidc" })
  const read = async () => adapter.listAccountsByUserId?.(user?.id ?? "")
  calls.length = 0
  assert.ok((await ask()).accessToken)
  assert.deepEqual(calls, ["listAccountsByUserId"])
  assert.equal((await read())?.length, 1)
  const times = { call: [] as number[], read: [] as number[] }
  const total = effort.isShort ? rounds / 10 : rounds
  for (let round = 0; round < total; round++) {
    times.call.push(await time(ask))
    times.read.push(await time(read))
  }
  const settled = (all: readonly number[]) => median(all.slice(all.length / 10))
  return { store, call: settled(times.call), read: settled(times.read), isServer }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The adapter, which notes the names of the methods that are called. */
function counting(adapter: Adapter, calls: string[]): Adapter {
  const entries = Object.entries(adapter).map(([name, method]) => [
    name,
    typeof method !== "function"
      ? method
      : (...args: never[]) => {
          calls.push(name)
          return method(...args)
        },
  ])
  return Object.fromEntries(entries)
}

async function measureSqlite(effort: Effort): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const adapter = sqlite(join(folder, "app.db"))
  try {
    return await measureStore("SQLite", adapter, { isServer: false, effort })
  } finally {
    adapter.close()
    rmSync(folder, { recursive: true })
  }
}

async function measurePostgres(effort: Effort): Promise<Result> {
  const server = await startPostgres()
  const adapter = postgres(server.url)
  try {
    await adapter.migrate()
    return await measureStore("PostgreSQL", adapter, { isServer: true, effort })
  } finally {
    await adapter.close()
    await server.stop()
  }
}

async function measureRedis(effort: Effort): Promise<Result> {
  const server = await startRedis()
  const client = new Redis(server.url)
  try {
    return await measureStore("Redis", RedisAdapter(client), { isServer: true, effort })
  } finally {
    client.disconnect()
    await server.stop()
  }
}
