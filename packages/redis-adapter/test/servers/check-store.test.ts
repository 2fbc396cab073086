import { RedisAdapter } from "@latchkey/redis-adapter"
import { hasProgram, type StoreServer } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { afterEach, describe, expect, it, vi } from "vitest"
import { connections, withRedis } from "./redis-setup.js"

describe.skipIf(!hasProgram("redis-server"))("checkStore of RedisAdapter", () => {
  let admin: Redis
  let server: StoreServer
  withRedis((client, started) => {
    admin = client
    server = started
  })
  afterEach(async () => {
    await admin.config("SET", "maxmemory", "0")
    await admin.config("SET", "maxmemory-policy", "noeviction")
  })

  it.each(Object.entries(connections))("passes with %s, warns about nothing, and leaves no key", async (_, connect) => {
    const open = await connect(server.url)
    const warn = vi.fn()
    await RedisAdapter(open.client).checkStore(warn)
    expect([warn.mock.calls, await admin.keys("*")]).toEqual([[], []])
    await open.close()
  })

  it("warns once about a server that evicts keys, and not about one without a limit", async () => {
    const adapter = RedisAdapter(admin)
    const warn = vi.fn()
    await admin.config("SET", "maxmemory-policy", "allkeys-lru")
    await adapter.checkStore(warn)
    expect(warn).not.toHaveBeenCalled()
    await admin.config("SET", "maxmemory", "100mb")
    await adapter.checkStore(warn)
    await adapter.checkStore(warn)
    expect(warn.mock.calls).toEqual([[expect.stringContaining("maxmemory-policy allkeys-lru")]])
  })

  it("passes for a user who may not ask about the memory", async () => {
    await admin.config("SET", "maxmemory", "100mb")
    await admin.config("SET", "maxmemory-policy", "allkeys-lru")
    await admin.call("ACL", "SETUSER", "app", "on", ">word", "~*", "+@all", "-info", "-config")
    const client = new Redis(server.url, { username: "app", password: "word", enableReadyCheck: false })
    const warn = vi.fn()
    await RedisAdapter(client).checkStore(warn)
    expect(warn).not.toHaveBeenCalled()
    client.disconnect()
  })

  it.each(Object.entries(connections))("finds a server that evicts or forgets, with %s", async (_, connect) => {
    const open = await connect(server.url)
    const { findStoreDefects } = RedisAdapter(open.client)
    const find = async () => (await findStoreDefects()).map(({ kind, statement }) => [kind, statement])
    expect(await find()).toEqual([["persistence", "CONFIG SET appendonly yes"]])
    await admin.config("SET", "save", "3600 1")
    await admin.config("SET", "maxmemory", "16mb")
    await admin.config("SET", "maxmemory-policy", "allkeys-lru")
    expect(await find()).toEqual([["eviction", "CONFIG SET maxmemory-policy noeviction"]])
    await admin.config("SET", "save", "")
    expect(await admin.keys("*")).toEqual([])
    await open.close()
  })

  it("fails if the server refuses writes, or is not there", async () => {
    await admin.call("ACL", "SETUSER", "reader", "on", ">word", "~*", "+@read", "+eval", "+evalsha")
    const reader = new Redis(server.url, { username: "reader", password: "word", enableReadyCheck: false })
    await expect(RedisAdapter(reader).checkStore()).rejects.toThrow(/^Redis: /)
    reader.disconnect()
    const away = new Redis(1, { retryStrategy: () => 10 })
    away.on("error", () => undefined)
    await expect(RedisAdapter(away, { timeoutMilliseconds: 50 }).checkStore()).rejects.toThrow(
      "no connection within 50 ms",
    )
    away.disconnect()
  })
})
