import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { future, type OpenStore, past, type StoreKind, tokenOf } from "./store.ts"

export const inSqlite: StoreKind = {
  name: "SQLite",
  programs: [],
  async start() {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-growth-"))
    return {
      open: async (database) => openSqlite(join(folder, `${database}.db`)),
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

function openSqlite(file: string): OpenStore {
  const adapter = sqlite(file)
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.function("tokenOf", { deterministic: true }, (n) => tokenOf(Number(n)))
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
  /** Writes to the disk what was filled in, which took the first checkpoint of the adapter 120 to 280 ms otherwise. */
  const settle = () => {
    db.exec("pragma wal_checkpoint(truncate)")
    const descriptor = openSync(file, "r+")
    fsyncSync(descriptor)
    closeSync(descriptor)
  }
  const emptyBytes = sizeOf()
  const find = db.prepare(`select * from "Session" join "User" on id = "userId" where "sessionToken" = ?`)
  return {
    adapter,
    expiredRows: 100_000,
    read: async (n) => find.get(tokenOf(n)),
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
        `insert into "Session" ("sessionToken", "userId", expires) ${range} select tokenOf(i), 'user-' || i, '${future}' from n`,
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
    },
  }
}

export const inPostgres: StoreKind = {
  name: "PostgreSQL",
  programs: ["postgres", "initdb"],
  async start() {
    const { startPostgres } = await import("@latchkey/testkit/servers")
    const { Client } = await import("pg")
    const server = await startPostgres()
    return {
      async open(database) {
        const admin = new Client(server.url)
        await admin.connect()
        await admin.query(`create database ${database}`)
        await admin.end()
        return await openPostgres(server.url.replace(/postgres$/, database))
      },
      stop: () => server.stop(),
    }
  },
}

async function openPostgres(url: string): Promise<OpenStore> {
  const { postgres } = await import("@latchkey/kysely-adapter/postgres")
  const { Client } = await import("pg")
  const adapter = postgres(url)
  await adapter.migrate()
  const client = new Client(url)
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
    async read(n) {
      const { rows } = await client.query(
        `select * from "Session" join "User" on id = "userId" where "sessionToken" = $1`,
        [tokenOf(n)],
      )
      return rows[0]
    },
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
    },
  }
}

export const inMariadb: StoreKind = {
  name: "MariaDB",
  programs: ["mariadbd"],
  async start() {
    const { startMariadb } = await import("@latchkey/testkit/servers")
    const { createConnection } = await import("mysql2/promise")
    const server = await startMariadb()
    return {
      async open(database) {
        const admin = await createConnection(server.url)
        await admin.query(`create database ${database}`)
        await admin.end()
        return await openMariadb(server.url.replace(/app$/, database))
      },
      stop: () => server.stop(),
    }
  },
}

async function openMariadb(url: string): Promise<OpenStore> {
  const { mysql } = await import("@latchkey/kysely-adapter/mysql")
  const { createConnection } = await import("mysql2/promise")
  const adapter = mysql(url)
  await adapter.migrate()
  const connection = await createConnection(url)
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
    async read(n) {
      const [rows] = await connection.query(
        "select * from `Session` join `User` on id = userId where sessionToken = ?",
        [tokenOf(n)],
      )
      return Array.isArray(rows) ? rows[0] : undefined
    },
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
    },
  }
}
