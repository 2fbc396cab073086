import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import { hasProgram, type StoreServer, startMariadb, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { type AppProcess, bundleService, startProcess } from "./processes/processes.js"
import { type RotatingProvider, startRotatingProvider } from "./processes/rotating-provider.js"

/** Longer than the lease of a process that was killed. */
const leaseMs = 16_000

let folder: string
let service: string
beforeAll(async () => {
  // Its warnings are about settings for production.
  vi.spyOn(console, "warn").mockImplementation(() => {})
  vi.spyOn(console, "info").mockImplementation(() => {})
  // Within the project, so that the processes find its packages.
  folder = mkdtempSync(join(import.meta.dirname, "..", "node_modules", ".processes-"))
  service = await bundleService(folder)
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

async function startMigrated(
  start: () => Promise<StoreServer>,
  connect: typeof postgres | typeof mysql,
): Promise<StoreServer> {
  const server = await start()
  const adapter = connect(server.url)
  await adapter.migrate()
  await adapter.close()
  return server
}

/** A file, which no server serves. */
async function startSqlite(): Promise<StoreServer> {
  return { url: pathToFileURL(join(folder, `${crypto.randomUUID()}.db`)).href, stop: async () => {} }
}

interface SharedStore {
  readonly program: string | null
  readonly open: () => Promise<StoreServer>
  readonly keep?: "account" | "redis"
}

const stores: readonly (readonly [string, SharedStore])[] = [
  ["PostgreSQL", { program: "postgres", open: () => startMigrated(startPostgres, postgres) }],
  ["MariaDB", { program: "mariadbd", open: () => startMigrated(startMariadb, mysql) }],
  ["Redis", { program: "redis-server", open: startRedis }],
  ["SQLite", { program: null, open: startSqlite }],
  ["a token store in Redis, without an adapter", { program: "redis-server", open: startRedis, keep: "redis" }],
]

/** What the app answers for a token. */
interface TokenAnswer {
  readonly accessToken?: string
  readonly reason?: string
}

describe.each(stores)("getAccessToken in three processes on %s", (_, { program, open, keep = "account" }) => {
  const isMissing = program !== null && !hasProgram(program)
  let store: StoreServer
  let provider: RotatingProvider
  let processes: AppProcess[]
  beforeAll(async () => {
    if (!isMissing) store = await open()
  })
  afterAll(async () => await store?.stop())
  beforeEach(async () => {
    provider = await startRotatingProvider()
    const { issuer, clientId, clientSecret } = provider
    const shared = { checkEvery: 60, secret: crypto.randomUUID(), provider: { issuer, clientId, clientSecret } }
    const start = () => startProcess(service, { ...shared, keep, store: store.url, strategy: "jwt" })
    processes = await Promise.all([start(), start(), start()])
  })
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await provider.close()
  })

  const nth = (n: number): AppProcess => processes[n % processes.length] ?? expect.unreachable()

  async function signInAt(n: number): Promise<Browser> {
    const network = { [provider.issuer]: overHttp }
    const browser = createBrowser({ handler: (request) => nth(n).answer(request), network })
    await browser.signIn("rotating", { callbackUrl: "/in" })
    expect((await browser.session())?.user?.email).toBe("lin@id.example")
    return browser
  }

  /** Asks a process for a token with the cookies of a browser. */
  async function askAt(n: number, { cookies }: Browser): Promise<TokenAnswer> {
    const cookie = cookies.list().map(({ name, value }) => `${name}=${value}`)
    const answer = await nth(n).answer(
      new Request("https://app.test/token", { headers: { cookie: cookie.join("; ") } }),
    )
    return (await answer.json()) as TokenAnswer // as: what the app answers
  }

  /** 50 callers at once, at some of the processes in turn. */
  const ask50 = async (browser: Browser, at: readonly number[]) =>
    Promise.all(Array.from({ length: 50 }, (__, n) => askAt(at[n % at.length] ?? 0, browser)))

  it.skipIf(isMissing)("KEEP-01: refreshes once for 50 callers, and all get the same token", async () => {
    const browser = await signInAt(0)
    const answers = await ask50(browser, [0, 1, 2])
    expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })

  it.skipIf(isMissing)(
    "KEEP-02: refreshes once after a process was killed before its provider got the call",
    async () => {
      const browser = await signInAt(0)
      const dropped = provider.dropNext("before")
      const lost = askAt(0, browser).catch(() => "killed")
      await dropped
      await nth(0).kill()
      expect(await lost).toBe("killed")
      await sleep(leaseMs)
      const answers = await ask50(browser, [1, 2])
      expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
      expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
    },
  )

  it.skipIf(isMissing)(
    "KEEP-02: asks for a new sign-in after a process was killed before it got the answer",
    async () => {
      const browser = await signInAt(0)
      const dropped = provider.dropNext("after")
      const lost = askAt(0, browser).catch(() => "killed")
      await dropped
      await nth(0).kill()
      expect(await lost).toBe("killed")
      await sleep(leaseMs + 14_000) // Until the old access token has expired too.
      expect(new Set((await ask50(browser, [1, 2])).map(({ reason }) => reason))).toEqual(new Set(["refused"]))
      // Each process that asks tries it once at most: there is no loop.
      expect(provider.refreshes.granted).toBe(1)
      expect(provider.refreshes.refused).toBeLessThanOrEqual(2)
      expect((await askAt(1, await signInAt(1))).accessToken).toEqual(expect.any(String))
    },
  )
})

describe("getAccessToken in two processes with tokens in cookies", () => {
  let provider: RotatingProvider
  let processes: AppProcess[]
  beforeEach(async () => {
    provider = await startRotatingProvider()
    const { issuer, clientId, clientSecret } = provider
    const shared = { checkEvery: 60, secret: crypto.randomUUID(), provider: { issuer, clientId, clientSecret } }
    const start = () => startProcess(service, { ...shared, keep: "cookie", store: "none:", strategy: "jwt" })
    processes = await Promise.all([start(), start()])
  })
  afterEach(async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await provider.close()
  })

  const nth = (n: number): AppProcess => processes[n] ?? expect.unreachable()

  async function signIn(): Promise<Browser> {
    const network = { [provider.issuer]: overHttp }
    const browser = createBrowser({ handler: (request) => nth(0).answer(request), network })
    await browser.signIn("rotating", { callbackUrl: "/in" })
    return browser
  }

  async function askAt(n: number, { cookies }: Browser): Promise<TokenAnswer> {
    const cookie = cookies.list().map(({ name, value }) => `${name}=${value}`)
    const headers = { cookie: cookie.join("; ") }
    return (await nth(n).answer(new Request("https://app.test/token", { headers }))).json() as Promise<TokenAnswer> // as: what the app answers
  }

  it("KEEP-01: refreshes once for 50 callers at one process, and all get the same token", async () => {
    const browser = await signIn()
    const answers = await Promise.all(Array.from({ length: 50 }, () => askAt(0, browser)))
    expect(new Set(answers.map(({ accessToken }) => accessToken))).toEqual(new Set([expect.any(String)]))
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })

  it("goes on at another process with the cookie that a refresh set", async () => {
    const browser = await signIn()
    const first = (await (await browser.fetch("/token")).json()) as TokenAnswer // as: what the app answers
    expect(await askAt(1, browser)).toMatchObject({ accessToken: first.accessToken })
    expect(provider.refreshes).toEqual({ granted: 1, refused: 0 })
  })

  it("has a limit: two processes without a store both refresh the token of one cookie, and the provider ends the grant", async () => {
    const browser = await signIn()
    const [one, other] = [await askAt(0, browser), await askAt(1, browser)]
    // The second one is served the old token, while it lives.
    expect([one.accessToken === other.accessToken, provider.refreshes]).toEqual([false, { granted: 1, refused: 1 }])
  })
})
