import { mysql } from "@latchkey/kysely-adapter/mysql"
import { type ConnectedAdapter, postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type Browser, testHost } from "@latchkey/testkit"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expires, sampleUser, settle } from "../samples.js"

/** Longer than a loaded machine needs to answer, shorter than a test may take. */
const timeoutMilliseconds = 2000

interface RefusingServer {
  readonly program: string
  start(): Promise<DatabaseServer>
  /** Connects as the app does, with the minimum of privileges. */
  open(url: string, connections: number): ConnectedAdapter
  /** The statements that the operator runs before the app starts. */
  readonly preparations: readonly string[]
  readonly readOnly: string
  readonly writable: string
  readonly full: RegExp
  readonly locked: RegExp
}

const servers: Readonly<Record<string, RefusingServer>> = {
  PostgreSQL: {
    program: "postgres",
    start: () => startPostgres({ max_connections: "6", superuser_reserved_connections: "1" }),
    open: (url, max) =>
      postgres({ connectionString: url.replace("//app@", "//visitor@"), max }, { timeoutMilliseconds }),
    preparations: ["create user visitor", "grant all on schema public to visitor"],
    readOnly: "alter system set default_transaction_read_only = on",
    writable: "alter system set default_transaction_read_only = off",
    full: /remaining connection slots are reserved|too many clients/,
    locked: /read-only transaction/,
  },
  MariaDB: {
    program: "mariadbd",
    start: () => startMariadb({ "max-connections": "10" }),
    open: (url, connectionLimit) =>
      mysql({ uri: url.replace("//root@", "//visitor@"), connectionLimit }, { timeoutMilliseconds }),
    preparations: ["create user visitor", "grant all on app.* to visitor"],
    readOnly: "set global read_only = 1",
    writable: "set global read_only = 0",
    full: /Too many connections/,
    locked: /read-only/,
  },
}

describe.each(Object.entries(servers))("%s", (name, refusing) => {
  describe.skipIf(!hasProgram(refusing.program))("under load or read-only", () => {
    let server: DatabaseServer
    let operator: ConnectedAdapter
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      server = await refusing.start()
      operator = name === "MariaDB" ? mysql(server.url) : postgres({ connectionString: server.url, max: 1 })
      for (const text of refusing.preparations) await sql.raw(text).execute(operator.db)
      adapter = refusing.open(server.url, 2)
      await adapter.migrate()
    }, 60_000)
    afterAll(async () => {
      await adapter.close()
      await operator.close()
      await server.stop()
    })

    /** Changes a setting of the whole server, as the operator. */
    async function configure(text: string): Promise<void> {
      await sql.raw(text).execute(operator.db)
      if (name === "PostgreSQL") await sql`select pg_reload_conf()`.execute(operator.db)
    }

    const failureOf = async (call: () => unknown): Promise<string> =>
      String(
        await settle(call).then(
          () => "no failure",
          (error: unknown) => error,
        ),
      )

    it("reports that no connections are left, and recovers when there are", async () => {
      const late = refusing.open(server.url, 2)
      const others = refusing.open(server.url, 20)
      const release = await holdAll(others, refusing.full)
      const calls = [
        () => late.getUserByEmail("ada@example.com"),
        () => late.createUser(sampleUser()),
        () => late.consumeOnce?.("flow", expires),
      ]
      for (const call of calls) expect(await failureOf(call)).toMatch(refusing.full)
      const host = testHost({ adapter: late, session: { strategy: "database" }, rateLimit: false })
      const page = await host.browser.signIn("oidc")
      expect([page.url.search, host.logger.errorTypes()]).toEqual(["?error=Configuration", ["AdapterError"]])
      await release()
      await others.close()
      await expect.poll(() => failureOf(() => late.createUser(sampleUser())), { timeout: 10_000 }).toBe("no failure")
      await host.browser.signIn("oidc")
      expect((await host.browser.session())?.user?.email).toBe("ada@example.com")
      await late.close()
    }, 60_000)

    it("reads from a read-only server, reports failed writes, and writes again afterwards", async () => {
      const host = testHost({ adapter, session: { strategy: "database" }, rateLimit: false })
      const whoIs = async (browser: Browser) => (await browser.session())?.user?.name
      host.idp.signInAs({ sub: "grace", name: "Grace Hopper", email: "grace@example.com" })
      await host.browser.signIn("oidc")
      await configure(refusing.readOnly)
      await expect.poll(() => failureOf(() => adapter.createUser(sampleUser()))).toMatch(refusing.locked)
      for (const call of [() => adapter.consumeOnce?.("flow", expires), () => adapter.deleteSession("unknown")])
        expect(await failureOf(call)).toMatch(refusing.locked)
      expect(await whoIs(host.browser)).toBe("Grace Hopper")
      const page = await host.newBrowser().signIn("oidc")
      expect(page.url.search).toBe("?error=Configuration")
      await configure(refusing.writable)
      await expect.poll(() => failureOf(() => adapter.createUser(sampleUser()))).toBe("no failure")
      const again = host.newBrowser()
      await again.signIn("oidc")
      expect([await whoIs(again), await whoIs(host.browser)]).toEqual(["Grace Hopper", "Grace Hopper"])
    }, 60_000)
  })
})

describe("a read-only SQLite database", () => {
  it("reports failed writes, keeps reading, and writes again afterwards", async () => {
    const adapter = sqlite(":memory:")
    const user = await adapter.createUser(sampleUser())
    adapter.database.exec("pragma query_only = on")
    expect(() => adapter.createUser(sampleUser())).toThrow("readonly database")
    expect(adapter.getUserByEmail(user.email)).toEqual(user)
    adapter.database.exec("pragma query_only = off")
    expect((await adapter.createUser(sampleUser())).id).toBeTypeOf("string")
    adapter.close()
  })
})

interface Transaction {
  rollback(): { execute(): Promise<unknown> }
}

/** Opens connections until none is left. */
async function holdAll(others: ConnectedAdapter, full: RegExp): Promise<() => Promise<void>> {
  const held: Transaction[] = []
  for (;;) {
    try {
      held.push(await begin(others.db))
    } catch (error) {
      expect(String(error)).toMatch(full)
      return async () => {
        for (const transaction of held) await transaction.rollback().execute()
      }
    }
  }
}

async function begin<T>(db: Kysely<T>): Promise<Transaction> {
  const transaction = await db.startTransaction().execute()
  await transaction.executeQuery(sql`select 1`.compile(transaction))
  return transaction
}
