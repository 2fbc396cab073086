import { connect, createServer, type Server, type Socket } from "node:net"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { type ConnectedAdapter, DatabaseTimeout, postgres } from "@latchkey/kysely-adapter/postgres"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { settle } from "../samples.js"

const most = 2
const rounds = 4

/** Answers as a pooler does that accepts no other startup parameters than its own. */
function startPooler(
  url: string,
): Promise<{ readonly url: string; readonly server: Server; readonly canceled: () => number }> {
  const target = new URL(url)
  const { hostname, port } = target
  let canceled = 0
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (first) => {
      if (first.includes("statement_timeout")) {
        const fields = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0"
        const length = Buffer.alloc(4)
        length.writeInt32BE(fields.length + 4)
        socket.end(Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)]))
        return
      }
      if (first.length === 16) canceled += 1
      const upstream = connect(Number(port), hostname, () => upstream.write(first))
      upstream.on("error", () => socket.destroy())
      socket.pipe(upstream).pipe(socket)
    })
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      target.port = String(typeof address === "object" && address !== null ? address.port : 0)
      resolve({ url: target.href, server, canceled: () => canceled })
    })
  })
}

/** A lookup that fails for nothing but the time that it takes. A busy machine may need that time for the connection alone. */
async function ask(adapter: ConnectedAdapter): Promise<"answered" | "unanswered" | "unconnected"> {
  try {
    expect(await adapter.getUser("nobody")).toBeNull()
    return "answered"
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseTimeout)
    return error instanceof Error && error.message.includes("did not answer") ? "unanswered" : "unconnected"
  }
}

/**
 * Two processes ask for users again and again, while someone holds a lock on the table.
 * @returns how many statements were given up
 */
async function askInVain(adapters: readonly ConnectedAdapter[]): Promise<number> {
  let unanswered = 0
  for (let round = 0; round < rounds || unanswered === 0; round++) {
    const asked = adapters.flatMap((adapter) => Array.from({ length: most }, () => ask(adapter)))
    const results = await Promise.all(asked)
    expect(results).not.toContain("answered")
    unanswered += results.filter((result) => result === "unanswered").length
  }
  return unanswered
}

/** @returns how many statements were given up on the way */
async function askUntilAnswered(adapters: readonly ConnectedAdapter[]): Promise<number> {
  let unanswered = 0
  for (const adapter of adapters) {
    for (let result = await ask(adapter); result !== "answered"; result = await ask(adapter)) {
      if (result === "unanswered") unanswered += 1
    }
  }
  return unanswered
}

/** Passes everything on to MariaDB, except for the settings of sessions while it is silent. */
function startStallingProxy(url: string): Promise<{
  readonly url: string
  readonly server: Server
  readonly stalled: () => number
  wake(): void
}> {
  const target = new URL(url)
  const { hostname, port } = target
  let [isSilent, stalled] = [true, 0]
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname)
    for (const each of [socket, upstream]) each.on("error", () => {}).on("close", () => upstream.destroy())
    upstream.pipe(socket)
    socket.on("data", (bytes) => {
      if (!isSilent || !bytes.includes("set session sql_mode")) upstream.write(bytes)
      else stalled += 1
    })
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      target.port = String(typeof address === "object" && address !== null ? address.port : 0)
      const wake = () => {
        isSilent = false
      }
      resolve({ url: target.href, server, stalled: () => stalled, wake })
    })
  })
}

/** A server that accepts connections, and never says anything. */
function startSilentServer(): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})))
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const close = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
      resolve({ port: typeof address === "object" && address !== null ? address.port : 0, close })
    })
  })
}

/** Uses the only connection of an adapter's pool. Returns a function that gives it back. */
async function holdConnection(adapter: ConnectedAdapter): Promise<() => Promise<void>> {
  for (;;) {
    const [taken, given] = [Promise.withResolvers<"taken">(), Promise.withResolvers<void>()]
    const holding = adapter.db.connection().execute(() => {
      taken.resolve("taken")
      return given.promise
    })
    const first = await Promise.race([taken.promise, holding.catch((error: unknown) => error)])
    if (first === "taken") {
      return async () => {
        given.resolve()
        await holding
      }
    }
    expect(first).toBeInstanceOf(DatabaseTimeout)
  }
}

const timeout = { timeoutMilliseconds: 300 }
const withoutConnection = expect.objectContaining({
  name: "DatabaseTimeout",
  code: "ETIMEDOUT",
  message: "The database gave no connection within 300 ms",
})

/** @param exhausted has a pool of one connection. `openAt` opens an adapter for a server at a port. */
async function expectNoConnection(
  exhausted: ConnectedAdapter,
  openAt: (port: number) => ConnectedAdapter,
): Promise<void> {
  const giveBack = await holdConnection(exhausted)
  await expect(settle(() => exhausted.getUser("nobody"))).rejects.toEqual(withoutConnection)
  await giveBack()
  await exhausted.close()
  const silent = await startSilentServer()
  const adapter = openAt(silent.port)
  await expect(settle(() => adapter.getUser("nobody"))).rejects.toEqual(withoutConnection)
  await expect(settle(() => adapter.migrate())).rejects.toEqual(withoutConnection)
  await expect(settle(() => adapter.findMissingTables())).rejects.toEqual(withoutConnection)
  await adapter.close()
  silent.close()
}

describe.skipIf(!hasProgram("postgres"))("statements that PostgreSQL lets wait", () => {
  let server: DatabaseServer
  let operator: ConnectedAdapter
  beforeAll(async () => {
    server = await startPostgres()
    operator = postgres({ connectionString: server.url, max: 2 })
    await operator.migrate()
  }, 60_000)
  afterAll(async () => {
    await operator.close()
    await server.stop()
  })

  const open = (url: string, name: string) =>
    postgres({ connectionString: url, max: most, application_name: name }, { timeoutMilliseconds: 300 })

  async function countConnections(name: string): Promise<number> {
    const { rows } = await sql<{ count: string }>`select count(*) from pg_stat_activity
      where application_name = ${name} and state = 'active'`.execute(operator.db)
    return Number(rows[0]?.count)
  }

  async function whileLocked(work: () => Promise<void>): Promise<void> {
    const lock = await operator.db.startTransaction().execute()
    await sql`lock table "User" in access exclusive mode`.execute(lock)
    try {
      await work()
    } finally {
      await lock.rollback().execute()
    }
  }

  it("end when they are given up, so that two processes keep to their pools", async () => {
    const adapters = [open(server.url, "direct"), open(server.url, "direct")]
    await whileLocked(async () => {
      await askInVain(adapters)
      await expect.poll(() => countConnections("direct")).toBe(0)
    })
    await askUntilAnswered(adapters)
    for (const adapter of adapters) await adapter.close()
  })

  it("are canceled where a pooler accepts no timeout", async () => {
    const pooler = await startPooler(server.url)
    const adapters = [open(pooler.url, "pooled"), open(pooler.url, "pooled")]
    const before = await askUntilAnswered(adapters)
    await whileLocked(async () => {
      const unanswered = before + (await askInVain(adapters))
      await expect.poll(() => countConnections("pooled")).toBe(0)
      await expect.poll(() => pooler.canceled()).toBe(unanswered)
    })
    for (const adapter of adapters) await adapter.close()
    pooler.server.close()
  })

  it("are not sent where the pool or the server gives no connection in time, with the same error", async () => {
    await expectNoConnection(postgres({ connectionString: server.url, max: 1 }, timeout), (port) =>
      postgres(`postgres://app@127.0.0.1:${port}/postgres`, timeout),
    )
  })
})

describe.skipIf(!hasProgram("mariadbd"))("statements that MariaDB lets wait", () => {
  let server: DatabaseServer
  let operator: ConnectedAdapter
  beforeAll(async () => {
    server = await startMariadb()
    operator = mysql(server.url)
    await operator.migrate()
  }, 60_000)
  afterAll(async () => {
    await operator.close()
    await server.stop()
  })

  it("end when they are given up, so that two processes keep to their pools", async () => {
    const open = () => mysql({ uri: server.url, connectionLimit: most }, { timeoutMilliseconds: 500 })
    const adapters = [open(), open()]
    const count = async () => {
      const { rows } = await sql<{ count: string }>`select count(*) as count from information_schema.processlist
        where info like '%nobody%' and info not like '%processlist%'`.execute(operator.db)
      return Number(rows[0]?.count)
    }
    const lock = await operator.db.startTransaction().execute()
    await sql`insert into \`User\` (id, email) values ('nobody', 'nobody@example.com')`.execute(lock)
    for (const adapter of adapters) {
      const updates = Array.from({ length: most }, () =>
        settle(() => adapter.createUser({ id: "nobody", email: "nobody@example.com", emailVerified: null })),
      )
      for (const { status } of await Promise.allSettled(updates)) expect(status).toBe("rejected")
    }
    await expect.poll(count, { timeout: 5000 }).toBe(0)
    await lock.rollback().execute()
    for (const adapter of adapters) await adapter.close()
  })

  it("are not sent where the pool or the server gives no connection in time, with the same error", async () => {
    await expectNoConnection(mysql({ uri: server.url, connectionLimit: 1 }, timeout), (port) =>
      mysql(`mysql://root@127.0.0.1:${port}/app`, timeout),
    )
  })

  it("keep no connection in use whose settings were not answered", async () => {
    const proxy = await startStallingProxy(server.url)
    const adapter = mysql({ uri: proxy.url, connectionLimit: most }, { timeoutMilliseconds: 500 })
    while (proxy.stalled() < most) expect(await ask(adapter)).not.toBe("answered")
    proxy.wake()
    await askUntilAnswered([adapter])
    await adapter.close()
    proxy.server.close()
  })
})
