// The stores whose growth is measured. Each is filled by its own database, in seconds.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Adapter } from "@latchkey/core/adapters"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"

/** A store that can be filled with users, each with an account and a session. */
export interface GrowingStore {
  readonly name: string
  /** The programs that have to be installed. */
  readonly programs: readonly string[]
  open(): Promise<OpenStore>
}

export interface OpenStore {
  readonly adapter: Adapter & { removeExpired?(): number | PromiseLike<number> }
  /** Adds users, accounts and sessions until there are this many of each. */
  fill(count: number): Promise<void>
  /** How many sessions `removeExpired` deletes at once. */
  readonly expiredRows: number
  /** Adds this many sessions that have expired. */
  addExpired(count: number): Promise<void>
  /** Bytes of a user with one account and one session, with their indexes. */
  bytesOfUser(): Promise<number>
  close(): Promise<void>
}

const past = "2020-01-01T00:00:00.000Z"
const future = "2099-01-01T00:00:00.000Z"

const inSqlite: GrowingStore = {
  name: "SQLite",
  programs: [],
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-growth-"))
    const file = join(folder, "app.db")
    const adapter = sqlite(file)
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    db.exec("pragma synchronous = off; pragma cache_size = -200000")
    const numbers = (from: number, to: number) =>
      `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`
    let filled = 0
    const sizeOf = () =>
      Number(
        Object.values(
          db.prepare("select page_count * page_size from pragma_page_count, pragma_page_size").get() ?? {},
        )[0],
      )
    /** Writes to the disk what was filled in, which the next write of the adapter would do otherwise. */
    const settle = () => db.exec("pragma synchronous = full; pragma wal_checkpoint(truncate); pragma synchronous = off")
    const emptyBytes = sizeOf()
    return {
      adapter,
      expiredRows: 100_000,
      async fill(count) {
        if (count <= filled) return
        const range = numbers(filled + 1, count)
        db.exec("begin")
        db.exec(
          `insert into "User" (id, name, email) ${range} select 'user-' || i, 'User ' || i, 'user' || i || '@example.test' from n`,
        )
        db.exec(
          `insert into "Account" ("userId", type, provider, "providerAccountId") ${range} select 'user-' || i, 'oidc', 'filler', 'subject-' || i from n`,
        )
        db.exec(
          `insert into "Session" ("sessionToken", "userId", expires) ${range} select lower(hex(randomblob(32))), 'user-' || i, '${future}' from n`,
        )
        db.exec("commit")
        settle()
        filled = count
      },
      async addExpired(count) {
        db.exec(
          `insert into "Session" ("sessionToken", "userId", expires) ${numbers(1, count)} select lower(hex(randomblob(32))), 'user-1', '${past}' from n`,
        )
        settle()
      },
      bytesOfUser: async () => (sizeOf() - emptyBytes) / filled,
      async close() {
        db.close()
        await adapter.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

const inPostgres: GrowingStore = {
  name: "PostgreSQL",
  programs: ["postgres", "initdb"],
  async open() {
    const { startPostgres } = await import("@latchkey/testkit/servers")
    const { postgres } = await import("@latchkey/kysely-adapter/postgres")
    const { Client } = await import("pg")
    const server = await startPostgres()
    const adapter = postgres(server.url)
    await adapter.migrate()
    const client = new Client(server.url)
    await client.connect()
    // Checks no foreign keys: the rows that are filled in have their users.
    await client.query("set session_replication_role = replica")
    let filled = 0
    const sizeOf = async () => {
      const { rows } = await client.query(
        `select sum(pg_total_relation_size(format('%I', relname)::regclass))::bigint as bytes from pg_class where relname in ('User', 'Account', 'Session')`,
      )
      return Number(rows[0].bytes)
    }
    const emptyBytes = await sizeOf()
    return {
      adapter,
      expiredRows: 1_000_000,
      async fill(count) {
        if (count <= filled) return
        const range = `generate_series(${filled + 1}, ${count}) as i`
        await client.query(
          `insert into "User" (id, name, email) select 'user-' || i, 'User ' || i, 'user' || i || '@example.test' from ${range}`,
        )
        await client.query(
          `insert into "Account" ("userId", type, provider, "providerAccountId") select 'user-' || i, 'oidc', 'filler', 'subject-' || i from ${range}`,
        )
        await client.query(
          `insert into "Session" ("sessionToken", "userId", expires) select encode(sha256(i::text::bytea), 'hex'), 'user-' || i, '${future}' from ${range}`,
        )
        await client.query("analyze")
        filled = count
      },
      async addExpired(count) {
        await client.query(
          `insert into "Session" ("sessionToken", "userId", expires) select encode(sha256(('expired-' || i)::bytea), 'hex'), 'user-1', '${past}' from generate_series(1, ${count}) as i`,
        )
      },
      bytesOfUser: async () => ((await sizeOf()) - emptyBytes) / filled,
      async close() {
        await client.end()
        await adapter.close()
        await server.stop()
      },
    }
  },
}

const inMariadb: GrowingStore = {
  name: "MariaDB",
  programs: ["mariadbd"],
  async open() {
    const { startMariadb } = await import("@latchkey/testkit/servers")
    const { mysql } = await import("@latchkey/kysely-adapter/mysql")
    const { createConnection } = await import("mysql2/promise")
    const server = await startMariadb()
    const adapter = mysql(server.url)
    await adapter.migrate()
    const connection = await createConnection(server.url)
    await connection.query("set session foreign_key_checks = 0")
    let filled = 0
    const tables = "`User`, `Account`, `Session`"
    const sizeOf = async () => {
      await connection.query(`analyze table ${tables}`)
      const [rows] = await connection.query(
        "select sum(data_length + index_length) as bytes from information_schema.tables where table_schema = database() and table_name in ('User', 'Account', 'Session')",
      )
      return Number(Array.isArray(rows) && rows[0] && Reflect.get(rows[0], "bytes"))
    }
    const emptyBytes = await sizeOf()
    return {
      adapter,
      expiredRows: 100_000,
      async fill(count) {
        if (count <= filled) return
        const range = `seq_${filled + 1}_to_${count}`
        await connection.query(
          `insert into \`User\` (id, name, email) select concat('user-', seq), concat('User ', seq), concat('user', seq, '@example.test') from ${range}`,
        )
        await connection.query(
          `insert into \`Account\` (userId, type, provider, providerAccountId) select concat('user-', seq), 'oidc', 'filler', concat('subject-', seq) from ${range}`,
        )
        await connection.query(
          `insert into \`Session\` (sessionToken, userId, expires) select sha2(seq, 256), concat('user-', seq), '${future.slice(0, 10)}' from ${range}`,
        )
        filled = count
      },
      async addExpired(count) {
        await connection.query(
          `insert into \`Session\` (sessionToken, userId, expires) select sha2(concat('expired-', seq), 256), 'user-1', '${past.slice(0, 10)}' from seq_1_to_${count}`,
        )
      },
      bytesOfUser: async () => ((await sizeOf()) - emptyBytes) / filled,
      async close() {
        await connection.end()
        await adapter.close()
        await server.stop()
      },
    }
  },
}

/** Copies a record under a new key, as often as there are users. */
const copyRecords = `
  for index, source in ipairs(KEYS) do
    local record = redis.call("hgetall", source)
    local kind = string.match(source, "^(.-){")
    for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
      redis.call("hset", kind .. "{" .. ARGV[3] .. string.format("%035d", i) .. "}", unpack(record))
    end
  end`
const copiesInOneCall = 10_000

const inRedis: GrowingStore = {
  name: "Redis",
  programs: ["redis-server"],
  async open() {
    const { startRedis } = await import("@latchkey/testkit/servers")
    const { RedisAdapter } = await import("@latchkey/redis-adapter")
    const { Redis } = await import("ioredis")
    const server = await startRedis()
    const client = new Redis(server.url)
    const adapter = RedisAdapter(client)
    const user = await adapter.createUser({
      id: "sample",
      name: "User 1",
      email: "user1@example.test",
      emailVerified: null,
    })
    await adapter.linkAccount({ userId: user.id, type: "oidc", provider: "filler", providerAccountId: "subject-1" })
    await adapter.createSession({
      sessionToken: randomBytes(32).toString("hex"),
      userId: user.id,
      expires: new Date(future),
    })
    const samples = (await client.keys("latchkey:*")).filter((key) => /:(?:user|email|account|session):/.test(key))
    const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1])
    const emptyBytes = await usedBytes()
    let filled = 1
    return {
      adapter,
      expiredRows: 0,
      async fill(count) {
        for (let from = filled; from < count; from += copiesInOneCall) {
          const to = Math.min(count, from + copiesInOneCall) - 1
          await client.eval(copyRecords, samples.length, ...samples, from, to, "filler--")
        }
        filled = Math.max(filled, count)
      },
      // Redis deletes what expires itself.
      addExpired: async () => {},
      bytesOfUser: async () => ((await usedBytes()) - emptyBytes) / filled,
      async close() {
        client.disconnect()
        await server.stop()
      },
    }
  },
}

export const growingStores: readonly GrowingStore[] = [inSqlite, inPostgres, inMariadb, inRedis]
