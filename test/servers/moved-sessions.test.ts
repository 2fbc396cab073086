import { mysql } from "@latchkey/kysely-adapter/mysql"
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

testMovedSessions(over(onPostgres, postgres), over(onMariadb, mysql), redis)
