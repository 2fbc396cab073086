import { PGlite } from "@electric-sql/pglite"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { pglite } from "@latchkey/kysely-adapter/pglite"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { Redis } from "ioredis"
import { type MovedStore, testMovedSessions } from "../processes/moved-sessions.suite.js"
import { onMariadb, onPostgres, onRedis, type SharedStore } from "../processes/stores.js"

const over = (shared: SharedStore, connectTo: typeof postgres | typeof mysql): MovedStore => ({
  ...shared,
  async open() {
    const { url, stop } = await shared.open()
    const connect = () => {
      const adapter = connectTo(url)
      return { adapter, close: () => adapter.close() }
    }
    return { connect, stop }
  },
})

const redis: MovedStore = {
  ...onRedis,
  async open() {
    const { url, stop } = await onRedis.open()
    const connect = () => {
      const client = new Redis(url)
      return { adapter: RedisAdapter(client), close: () => client.disconnect() }
    }
    return { connect, stop }
  },
}

/** It has one connection, in one process. */
const onPglite: MovedStore = {
  name: "PGlite",
  program: null,
  async open() {
    const database = new PGlite()
    await pglite(database).migrate()
    return { connect: () => ({ adapter: pglite(database), close: () => undefined }), stop: () => database.close() }
  },
}

testMovedSessions(over(onPostgres, postgres), over(onMariadb, mysql), redis, onPglite)
