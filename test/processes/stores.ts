import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { type StoreServer, startMariadb, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"

/** A store that several processes share. */
export interface SharedStore {
  readonly name: string
  /** The program of its server, if it has one. */
  readonly program: string | null
  open(): Promise<OpenedStore>
}

export interface OpenedStore extends Pick<StoreServer, "url" | "stop"> {
  /** For a store that expires rows by its own clock: expires what would have expired after so many milliseconds. */
  passTime?(milliseconds: number): Promise<void>
}

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

async function openRedis(): Promise<OpenedStore> {
  const server = await startRedis()
  const redis = new Redis(server.url)
  return {
    url: server.url,
    async passTime(milliseconds) {
      for (const key of await redis.keys("*")) {
        const left = await redis.pttl(key)
        if (left >= 0) await redis.pexpire(key, Math.max(0, left - milliseconds))
      }
    },
    async stop() {
      redis.disconnect()
      await server.stop()
    },
  }
}

async function openFile(): Promise<OpenedStore> {
  const data = mkdtempSync(join(tmpdir(), "latchkey-processes-"))
  const stop = async () => rmSync(data, { recursive: true })
  return { url: pathToFileURL(join(data, "app.db")).href, stop }
}

export const sqliteFile: SharedStore = { name: "a SQLite file", program: null, open: openFile }

export const onPostgres: SharedStore = {
  name: "PostgreSQL",
  program: "postgres",
  open: () => startMigrated(startPostgres, postgres),
}

export const onMariadb: SharedStore = {
  name: "MariaDB",
  program: "mariadbd",
  open: () => startMigrated(startMariadb, mysql),
}

export const onRedis: SharedStore = { name: "Redis", program: "redis-server", open: openRedis }
